/** The first line of a request in the audit log, and the only one of those that are refused before anybody is known to ask. */
import { unauthorized, type StatusError } from '../../../api/status.ts';
import type { ApiRequest, Attributes, UserInfo } from '../contracts.ts';
import { attributesOf } from '../request/attributes.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { Unserved } from '../request/unserved.ts';
import type { Auditor } from './auditor.ts';
import type { Trail } from './trail.ts';

/** What cannot be written down is not done, where that is asked for: Unserved. Undefined: nothing is written down. */
export async function beginAudit(auditor: Auditor, request: ApiRequest, auditId: string, asked: Attributes): Promise<Trail | undefined> {
	const trail = auditor.begin(request, auditId, asked);
	if (trail === undefined || (await trail.stage('RequestReceived'))) return trail;
	auditor.rejected();
	throw new Unserved('failed to store audit event');
}

const NOBODY: UserInfo = { name: '', uid: '', groups: [], extra: {} };

/**
 * Nobody is known to ask: credentials are no good, or were not looked at.
 * Resolves once it is written down; undefined: nobody has to wait for that.
 */
export function auditStranger(
	auditor: Auditor,
	request: ApiRequest,
	auditId: string,
	info: RequestInfo,
	{ httpCode, status }: StatusError = unauthorized(),
): Promise<unknown> | undefined {
	const trail = auditor.begin(request, auditId, attributesOf(NOBODY, info, request.query));
	if (trail === undefined) return undefined;
	trail.answered(httpCode, status);
	if (trail.wantsResponse) trail.response(status);
	return trail.note('ResponseStarted');
}
