/** What a kubelet answers when it has no log, as the Status that clients get (GenericHttpResponseChecker of upstream's apiserver). Pure. */
import { badRequest, internalError, StatusError, unknownFailure } from '../../../api/status.ts';
import { goQuote } from '../../../api/go-quote.ts';

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
	const [reason, message] = SAID.get(status) ?? otherwise(status, text);
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: `${message === '' ? text : message} ( ${RESOURCE} ${pod})`,
		...(reason === '' ? {} : { reason }),
		details: { name: pod, kind: RESOURCE },
		code: status,
	});
}

/** Reasons and messages of NewGenericServerResponse; '' is what the kubelet says itself. */
const SAID: ReadonlyMap<number, readonly [reason: string, message: string]> = new Map([
	[401, ['Unauthorized', 'the server has asked for the client to provide credentials']],
	[403, ['Forbidden', '']],
	[404, ['NotFound', 'the server could not find the requested resource']],
	[405, ['MethodNotAllowed', 'the server does not allow this method on the requested resource']],
	[406, ['NotAcceptable', '']],
	[409, ['Conflict', 'the server reported a conflict']],
	[415, ['UnsupportedMediaType', '']],
	[422, ['Invalid', 'the server rejected our request due to an error in our request']],
	[429, ['TooManyRequests', 'the server has received too many requests and has asked us to try again later']],
	[503, ['ServiceUnavailable', 'the server is currently unable to handle the request']],
	[504, ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request']],
]);

function otherwise(status: number, text: string): readonly [string, string] {
	return status > 500
		? ['InternalError', `an error on the server (${goQuote(text)}) has prevented the request from succeeding`]
		: ['', `the server responded with the status code ${status} but did not return more information`];
}
