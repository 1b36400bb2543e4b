/** What a DELETE asks for: its body, or the query where there is no body. */
import { decodeOptions } from '../../../api/codec/codec.ts';
import { int64Error } from '../../../api/go-integer.ts';
import { badRequest } from '../../../api/status.ts';
import type { ApiRequest } from '../contracts.ts';
import { bodyType } from '../request/body.ts';
import { isTrue } from '../request/request-info.ts';
import { notesOf, requestedAs } from './caller.ts';
import type { Caller } from './context.ts';
import type { Kind } from './kinds.ts';
import { checkDeleteRequest, type DeleteRequest } from './delete.ts';
import { managerOf } from './manager.ts';

/** What upstream writes into the audit log, whatever version they came in. */
const LOGGED = 'meta.k8s.io/__internal';

/** @param served as asked for */
export async function readDeleteRequest(
	request: ApiRequest,
	served: Kind,
): Promise<{ readonly deletion: DeleteRequest; readonly caller: Caller }> {
	const bytes = await request.body();
	const sent = bytes.length > 0 ? decodeOptions(bytes, bodyType(request), 'DeleteOptions') : undefined;
	const options: DeleteRequest = sent ?? fromQuery(request.query);
	if (sent !== undefined) request.audit?.object({ kind: 'DeleteOptions', apiVersion: LOGGED, ...options });
	const dryRun = options.dryRun ?? [];
	checkDeleteRequest(options);
	const { user, signal, warn } = request;
	const shown = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options };
	const named = { manager: managerOf('', request), requested: requestedAs(served) };
	return { deletion: options, caller: { user, dryRun: dryRun.length > 0, options: shown, signal, warn, ...named, ...notesOf(request) } };
}

function fromQuery(query: URLSearchParams): DeleteRequest {
	if (query.size === 0) return {};
	const grace = query.get('gracePeriodSeconds');
	const error = grace === null ? undefined : int64Error(grace);
	if (error !== undefined) throw badRequest(error);
	const policy = query.get('propagationPolicy');
	const orphan = query.get('orphanDependents');
	const dryRun = query.getAll('dryRun');
	const [uid, resourceVersion] = [query.get('uid') ?? '', query.get('resourceVersion') ?? ''];
	const preconditions = { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) };
	return {
		...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
		...(policy === null ? {} : { propagationPolicy: policy }),
		...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
		...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
		...(dryRun.length === 0 ? {} : { dryRun }),
	};
}
