/** The query of pods/log, checked (PodLogOptions) and turned into the kubelet's. Pure. */
import type { StatusCause } from '../../../../api/gen/types.ts';
import { int64Error } from '../../../../api/go-integer.ts';
import { badRequest, invalid } from '../../../../api/status.ts';
import { readTime } from '../../../../api/time-parse.ts';
import { messageOf } from '../../../../base/errors.ts';
import { isTrue } from '../../request/request-info.ts';

/** The kubelet's query. StatusError Invalid or BadRequest. */
export function logQuery(query: URLSearchParams, pod: string): URLSearchParams {
	const out = new URLSearchParams();
	const causes: StatusCause[] = [];
	const bad = (field: string, value: number, detail: string): void => {
		causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${detail}`, field });
	};
	for (const name of ['follow', 'previous', 'timestamps']) if (isTrue(query.get(name))) out.set(name, 'true');
	const tail = integer(query, 'tailLines');
	const limit = integer(query, 'limitBytes');
	const since = integer(query, 'sinceSeconds');
	const sinceTime = time(query.get('sinceTime'));
	if (tail !== undefined && tail < 0) bad('tailLines', tail, 'must be greater than or equal to 0');
	if (limit !== undefined && limit < 1) bad('limitBytes', limit, 'must be greater than 0');
	if (since !== undefined && sinceTime !== undefined)
		causes.push({
			reason: 'FieldValueForbidden',
			message: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
			field: '[]',
		});
	else if (since !== undefined && since < 1) bad('sinceSeconds', since, 'must be greater than 0');
	// For the feature PodLogsQuerySplitStreams, which is off.
	if (query.has('stream')) causes.push({ reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified', field: 'stream' });
	if (causes.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, causes);
	for (const [name, value] of [
		['tailLines', tail],
		['limitBytes', limit],
		['sinceSeconds', since],
	] as const)
		if (value !== undefined) out.set(name, String(value));
	if (sinceTime !== undefined) out.set('sinceTime', sinceTime);
	out.sort();
	return out;
}

/** The time in whole seconds; none is Go's zero time. */
function time(text: string | null): string | undefined {
	if (text === null) return undefined;
	if (text === '' || text === 'null') return '0001-01-01T00:00:00Z';
	try {
		return `${new Date(readTime(text).ms).toISOString().slice(0, -5)}Z`;
	} catch (error) {
		throw badRequest(messageOf(error));
	}
}

function integer(query: URLSearchParams, name: string): number | undefined {
	const text = query.get(name);
	if (text === null) return undefined;
	const error = int64Error(text);
	if (error !== undefined) throw badRequest(error);
	return Number(text);
}
