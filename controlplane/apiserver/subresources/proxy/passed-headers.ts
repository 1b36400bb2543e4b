/** Headers on their way to a backend and back (Go's httputil.ReverseProxy). */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest } from '../../contracts.ts';

/** Belong to one connection. */
const HOP = [
	'connection',
	'keep-alive',
	'proxy-authenticate',
	'proxy-authorization',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
];
/** Besides, what is the caller's identity, or made anew. */
const KEPT_HERE = new Set([...HOP, 'authorization', 'content-length', 'host']);
const KEPT_BACK = new Set([...HOP, 'set-cookie']);
/** Of answers whose bytes come as pieces of a stream, nothing says how many there are. */
const PIECEWISE = 'transfer-encoding';

/** How a request goes on otherwise than it came. */
export interface Changes {
	/** Headers of the client that are not passed on. */
	readonly drops?: ((name: string) => boolean) | undefined;
	/** Headers of ours. */
	readonly headers?: OutgoingHttpHeaders | undefined;
	/** What is asked instead of what the client asks. */
	readonly asks?: { readonly method: string; readonly upgrade: string } | undefined;
}

export function passedHeaders(request: ApiRequest, { drops, headers: own, asks }: Changes, isUpgrade: boolean): OutgoingHttpHeaders {
	const headers: OutgoingHttpHeaders = {};
	const named = new Set(listed(request.headers['connection']?.toLowerCase()));
	for (const [name, value] of Object.entries(request.headers)) {
		if (value === undefined || name.startsWith(':') || name.startsWith('impersonate-') || KEPT_HERE.has(name) || named.has(name)) continue;
		if (drops?.(name) === true) continue;
		headers[name] = linesOf(request, name, value);
	}
	Object.assign(headers, own);
	const before = request.headers['x-forwarded-for'] ?? '';
	headers['x-forwarded-for'] = `${before === '' ? '' : `${before}, `}${request.remoteAddress}`;
	if (!isUpgrade) return headers;
	return { ...headers, connection: 'Upgrade', upgrade: asks?.upgrade ?? request.headers['upgrade'] };
}

/** As they came, line by line: Go's servers read each offered SPDY protocol from one of its own. */
function linesOf(request: ApiRequest, name: string, value: string): string | string[] {
	const lines = request.repeated?.lines(name) ?? [];
	if (lines.length > 1) return [...lines];
	return name === 'x-stream-protocol-version' ? listed(value) : value;
}

function listed(value = ''): string[] {
	return value
		.split(',')
		.map((one) => one.trim())
		.filter((one) => one !== '');
}

export function answeredHeaders({ headers: given }: IncomingMessage): Record<string, string> {
	const headers: Record<string, string> = {};
	const named = new Set(listed(given.connection?.toLowerCase()));
	for (const [name, value] of Object.entries(given)) {
		if (value === undefined || KEPT_BACK.has(name) || named.has(name) || (name === 'content-length' && PIECEWISE in given)) continue;
		headers[name] = typeof value === 'string' ? value : value.join(', ');
	}
	const { 'cache-control': kept } = headers;
	if (kept !== undefined) headers['cache-control'] = `no-cache, private, ${kept}`; // what is said of all answers comes first
	return headers;
}
