/** Answers to what is not served. Where nothing does: below the roots of built-in groups upstream answers a Status, elsewhere the plain text of its mux. */
import { goQuote } from '../../../api/go-quote.ts';
import { RESOURCES } from '../../../api/resources.ts';
import { resourceNotFound, timeout } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import type { Refused } from '../fairness/fairness.ts';

const BUILT_IN_GROUPS: ReadonlySet<string> = new Set(RESOURCES.map(({ group }) => group));

const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** Throws StatusError NotFound where a Status is the answer. */
export function notFoundPath(path: string): ApiResponse {
	const [, root, group = ''] = path.split('/');
	if (root === 'api' || root === 'version' || (root === 'apis' && group !== '' && BUILT_IN_GROUPS.has(group))) throw resourceNotFound();
	return { type: 'bytes', status: 404, headers: PLAIN_TEXT, body: Buffer.from('404 page not found\n') };
}

/** What is answered before anybody is asked who they are: the path has a word for a verb, and nothing to it. */
export function noRequestInfo(request: ApiRequest): ApiResponse {
	return internalError(request, `failed to create RequestInfo: unable to determine kind and namespace from url, ${urlOf(request)}`);
}

/** Upstream's responsewriters.InternalError: a text, no Status. */
export function internalError(request: ApiRequest, why: string): ApiResponse {
	const text = `Internal Server Error: ${goQuote(urlOf(request))}: ${why}\n`.replace(/[&<>]/g, (c) =>
		c === '&' ? '&amp;' : c === '<' ? '&lt;' : '&gt;',
	);
	return { type: 'bytes', status: 500, headers: PLAIN_TEXT, body: Buffer.from(text) };
}

function urlOf({ path, query }: ApiRequest): string {
	return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** There is no room for it now. */
export function tooManyRequests({ retryAfterSeconds }: Refused): ApiResponse {
	const headers = { ...PLAIN_TEXT, 'retry-after': String(retryAfterSeconds) };
	return { type: 'bytes', status: 429, headers, body: Buffer.from('Too many requests, please try again later.\n') };
}

/** Whatever form the client wants: the filter that gives the work up knows of none (upstream's timeout filter). */
export function tooLate(): ApiResponse {
	const { kind: _k, apiVersion: _a, ...status } = timeout('request did not complete within the allotted timeout').status;
	const headers = { 'content-type': PLAIN_TEXT['content-type'] };
	return { type: 'bytes', status: 504, headers, body: Buffer.from(`${JSON.stringify(status)}\n`) };
}
