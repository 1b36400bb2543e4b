/** What a kubelet answers when it has no log, as the Status that clients get (GenericHttpResponseChecker of upstream's apiserver). Pure. */
import { badRequest, internalError, StatusError, unknownFailure } from '../../../../api/status.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import { MESSAGES_BY_CODE } from '../../webhook/go-errors.ts';

/** So much of what it says is told. */
export const MAX_TOLD_BYTES = 50_000;
const RESOURCE = 'pods/log';
const REDIRECTS = [301, 302, 303, 307, 308];

export function isLog(status: number): boolean {
	return status >= 200 && status <= 206;
}

export function refusedBy(status: number, text: string, pod: string, location?: string): StatusError {
	if (REDIRECTS.includes(status) && location !== undefined) return unknownFailure(`Get ${goQuote(location)}: redirects forbidden`);
	if (status === 500) return internalError(text);
	if (status === 400) return badRequest(text);
	const reason = REASONS.get(status) ?? (status > 500 ? 'InternalError' : '');
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: `${messageFor(status, text)} ( ${RESOURCE} ${pod})`,
		...(reason === '' ? {} : { reason }),
		details: { name: pod, kind: RESOURCE },
		code: status,
	});
}

/** As client-go's NewGenericServerResponse tells them. */
const REASONS: ReadonlyMap<number, string> = new Map([
	[401, 'Unauthorized'],
	[403, 'Forbidden'],
	[404, 'NotFound'],
	[405, 'MethodNotAllowed'],
	[406, 'NotAcceptable'],
	[409, 'Conflict'],
	[415, 'UnsupportedMediaType'],
	[422, 'Invalid'],
	[429, 'TooManyRequests'],
	[503, 'ServiceUnavailable'],
	[504, 'Timeout'],
]);

function messageFor(status: number, text: string): string {
	const known = MESSAGES_BY_CODE.get(status);
	if (known !== undefined) return known;
	if (REASONS.has(status)) return text;
	return status > 500
		? `an error on the server (${goQuote(text)}) has prevented the request from succeeding`
		: `the server responded with the status code ${status} but did not return more information`;
}
