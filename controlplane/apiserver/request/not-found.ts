/** What nothing serves: below the roots of built-in groups upstream answers a Status, elsewhere the plain text of its mux. */
import { goQuote } from '../../../api/go-quote.ts';
import { RESOURCES } from '../../../api/resources.ts';
import { resourceNotFound } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';

const BUILT_IN_GROUPS: ReadonlySet<string> = new Set(RESOURCES.map(({ group }) => group));

export const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** Throws StatusError NotFound where a Status is the answer. */
export function notFoundPath(path: string): ApiResponse {
	const [root, group = ''] = path.split('/').filter((segment) => segment !== '');
	if (root === 'api' || root === 'version' || (root === 'apis' && BUILT_IN_GROUPS.has(group))) throw resourceNotFound();
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
