/** What the target of a request line names, read as by Go's server (net/url). Pure, but for what it remembers. */
import { Lru } from '../../../base/lru.ts';
import { hasBadEscape } from '../request/escapes.ts';

/** Nobody changes its query. */
export interface Target {
	/** As it was sent, but for bytes that are not of ASCII, which are escaped. */
	readonly path: string;
	readonly query: URLSearchParams;
	/** Both, without the server that the target may have named. */
	readonly uri: string;
	/** No URL: it is not served. */
	readonly isBad: boolean;
}

const NO_QUERY = new URLSearchParams();
/** Clients ask for the same over and over. */
const targets = new Lru<string, Target>(1024);
const MAX_KEPT_URL = 512;

export function targetOf(url: string): Target {
	let target = targets.get(url);
	if (target === undefined) {
		target = read(url);
		if (url.length <= MAX_KEPT_URL) targets.set(url, target);
		// A part of a string holds all of it: who keeps a short path must not keep kilobytes of its query.
		else target = { ...target, path: Buffer.from(target.path).toString() };
	}
	return target;
}

/** As a proxy is asked: `https://server/path`. */
const WITH_SERVER = /^[a-z][a-z\d+.-]*:\/\/([^/?]*)/i;

/** Node.js gives a character for each byte. */
const BYTES = /[\u0080-\u00ff]/g;

function read(sent: string): Target {
	const url = sent.replace(BYTES, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
	const server = url.startsWith('/') ? null : WITH_SERVER.exec(url);
	const uri = server === null ? url : url.slice(server[0].length);
	const at = uri.indexOf('?');
	const path = at < 0 ? uri : uri.slice(0, at);
	const isBad = hasBadEscape(path) || (server !== null && hasOpenBracket(server[1] as string));
	return { path, query: at < 0 ? NO_QUERY : queryOf(uri.slice(at + 1)), uri, isBad };
}

function hasOpenBracket(server: string): boolean {
	return server.includes('[') !== server.includes(']');
}

/** Parameters with semicolons or broken escapes are none. */
function queryOf(text: string): URLSearchParams {
	const good = text.includes(';') || hasBadEscape(text) ? text.split('&').filter(isParameter).join('&') : text;
	// Node.js takes seconds for hundreds of thousands without a sign of equality, and nobody has said who they are yet.
	const whole = BARE.test(good) ? good.split('&').map(valued).join('&') : good;
	// It takes a question mark at the beginning for none of the text.
	return new URLSearchParams(whole.startsWith('?') ? `&${whole}` : whole);
}

const BARE = /(?:^|&)[^=&]+(?:&|$)/;

function valued(parameter: string): string {
	return parameter === '' || parameter.includes('=') ? parameter : `${parameter}=`;
}

function isParameter(text: string): boolean {
	return !text.includes(';') && !hasBadEscape(text);
}
