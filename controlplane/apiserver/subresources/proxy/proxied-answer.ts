/** What a pod, service or node answers through its proxy, with the links in it led back through the proxy (upstream's apimachinery/pkg/util/proxy). */
import { pipeline, Readable, type Duplex } from 'node:stream';
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { parseUrl } from '../../../../api/go-url.ts';
import { internalError } from '../../../../api/status.ts';
import type { ApiResponse } from '../../contracts.ts';
import { proxiedLink, type ProxiedPlace } from './proxied-links.ts';

type Answer = Extract<ApiResponse, { type: 'stream' }>;

/** They are for the server behind, not for the API server's own origin. */
const CORS = ['credentials', 'headers', 'methods', 'origin'].map((name) => `access-control-allow-${name}`);
const NO_CONTENT = [204, 304];

/** StatusError InternalError for a Location that is no URL. */
export async function proxiedAnswer(method: string, answer: Answer, place: ProxiedPlace): Promise<ApiResponse> {
	const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !CORS.includes(name)));
	const redirect = headers['location'] ?? '';
	if (redirect !== '') {
		const url = parseUrl(redirect);
		if ('fault' in url) {
			if (answer.body instanceof Readable) answer.body.destroy(); // nobody reads it
			throw internalError(`error trying to parse Location header: ${url.fault}`);
		}
		return { ...answer, headers: { ...headers, location: proxiedLink(redirect, place) } };
	}
	const isPage = headers['content-type']?.split(';', 1)[0]?.trim() === 'text/html';
	const steps = isPage && method !== 'HEAD' && !NO_CONTENT.includes(answer.status) ? stepsOf(headers['content-encoding'] ?? '') : undefined;
	if (steps === undefined) return { ...answer, headers };
	const { HtmlLinks } = await import('../../../../wire/http/html-links.ts');
	const links = new HtmlLinks((link) => ('fault' in parseUrl(link) ? link : proxiedLink(link, place)));
	const streams: Duplex[] = [...steps.before, links, ...steps.after];
	// An error is seen by who reads the last of them.
	pipeline([Readable.from(answer.body), ...streams], () => undefined);
	const { 'content-length': _, ...rest } = headers; // of the page as it was
	return { ...answer, headers: rest, body: streams.at(-1) ?? links };
}

/** What a page goes through before its links are seen, and after. Undefined: of an encoding whose pages are left alone. */
function stepsOf(encoding: string): { readonly before: readonly Duplex[]; readonly after: readonly Duplex[] } | undefined {
	if (encoding === '') return { before: [], after: [] };
	if (encoding === 'gzip') return { before: [createGunzip()], after: [createGzip()] };
	if (encoding === 'deflate') return { before: [createInflateRaw()], after: [createDeflateRaw()] };
	return undefined;
}
