/** The path that a proxied request goes on with (upstream's UpgradeAwareHandler and its Transport, and Go's net/url). Pure. */
import { posix } from 'node:path';

export interface ProxiedPath {
	/** What is asked of the backend, escaped; '' where a page's relative links need a redirection first. */
	readonly sent: string;
	/** The path of the proxy itself, unescaped. */
	readonly prefix: string;
	/** Both, as the backend is told: X-Forwarded-Uri. */
	readonly forwarded: string;
}

/**
 * @param asked the whole path of the request, unescaped
 * @param rest what of it is meant for the backend, as admission left it
 */
export function proxiedPath(asked: string, rest: string): ProxiedPath {
	const isFolder = asked.endsWith('/');
	const clean = rest === '' ? '' : posix.normalize(rest);
	const path = isFolder && !clean.endsWith('/') ? `${clean}/` : clean;
	const prefix = asked.endsWith(path) ? asked.slice(0, asked.length - path.length) : asked;
	const sent = escapedPath(path === '' || path.startsWith('/') ? path : `/${path}`);
	return { sent, prefix, forwarded: posix.join(prefix, sent === '' ? '/' : sent) };
}

/** As Go's URL.EscapedPath writes a path that it has not read itself. */
export function escapedPath(path: string): string {
	return encodeURI(path.toWellFormed()).replaceAll(/[!'()*?#]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
