/** What an aggregated server is asked for, as upstream's proxy makes it of a request: the path decoded once and escaped anew, the query sorted. Pure. */
import type { OutgoingHttpHeaders } from 'node:http';
import { posix } from 'node:path';
import type { ApiRequest } from '../contracts.ts';
import { decodedPath } from '../subresources/streams/connect-options.ts';
import { escapedPath } from '../subresources/proxy/proxied-path.ts';

/** Path and query. @param path as it stood in the request line */
export function forwardedUri({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
	const decoded = escapedPath(decodedPath(path));
	return query.size === 0 ? decoded : `${decoded}?${encodedQuery(query)}`;
}

/** @param backend "host:port" of the server */
export function forwardedHeaders(uri: string, backend: string): OutgoingHttpHeaders {
	const [path = ''] = uri.split('?', 1);
	return { 'x-forwarded-uri': posix.normalize(path), 'x-forwarded-host': backend, 'x-forwarded-proto': 'https' };
}

/** Go's Values.Encode: by name, values of one name as they came. */
function encodedQuery(query: URLSearchParams): string {
	return [...query]
		.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
		.map(([key, value]) => `${escaped(key)}=${escaped(value)}`)
		.join('&');
}

function escaped(text: string): string {
	const percent = encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
	return percent.replaceAll('%20', '+');
}
