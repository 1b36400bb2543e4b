/** What an aggregated server is asked for, as upstream's proxy makes it of a request: the path decoded once and escaped anew, the query sorted. Pure. */
import type { OutgoingHttpHeaders } from 'node:http';
import { posix } from 'node:path';
import { decodedPath } from '../subresources/connect-options.ts';
import { escapedPath } from '../subresources/proxied-path.ts';

/** Path and query. @param uri as it stood in the request line, or as it would */
export function forwardedUri(uri: string): string {
	const at = uri.indexOf('?');
	const path = escapedPath(decodedPath(at < 0 ? uri : uri.slice(0, at)));
	const query = at < 0 ? '' : encodedQuery(uri.slice(at + 1));
	return query === '' ? path : `${path}?${query}`;
}

/** @param backend "host:port" of the server */
export function forwardedHeaders(uri: string, backend: string): OutgoingHttpHeaders {
	const [path = ''] = uri.split('?', 1);
	return { 'x-forwarded-uri': posix.normalize(path), 'x-forwarded-host': backend, 'x-forwarded-proto': 'https' };
}

/** Go's Values.Encode of a parsed query: by name, values of one name as they came; a pair with a semicolon is none. */
function encodedQuery(query: string): string {
	const pairs = query
		.split('&')
		.filter((pair) => !pair.includes(';'))
		.flatMap((pair) => [...new URLSearchParams(pair)]);
	return pairs
		.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
		.map(([key, value]) => `${escaped(key)}=${escaped(value)}`)
		.join('&');
}

function escaped(text: string): string {
	const percent = encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
	return percent.replaceAll('%20', '+');
}
