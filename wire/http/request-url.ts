/** What a request line asks for, whoever wrote it. */
import type { IncomingMessage } from 'node:http';

/**
 * Undefined for what is no URL of HTTP: `*`, `http://[`. A path is a path to its end, as for Go's servers: `//a/b` names no host.
 */
export function requestUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): URL | undefined {
	const parsed = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url);
	return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed : undefined;
}
