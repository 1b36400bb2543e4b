/** URLs as Go's url.Parse reads them, and what it says of a text that is none (net/url of Go 1.26). */
import { parseAddr } from './cel/libraries/address-text.ts';
import { goQuote } from './go-quote.ts';

export interface GoUrl {
	/** In small letters; empty for paths. */
	readonly scheme: string;
	readonly host: string;
	/** "name:password", escaped; undefined: nothing stands before an @. */
	readonly user: string | undefined;
	readonly query: string;
	readonly fragment: string;
}

export interface NoUrl {
	/** With what was read: `parse "https://h:x/": invalid port ":x" after host`. */
	readonly fault: string;
}

/** Go counts bytes: in here a text has a character for each. */
type Bytes = string;

const bytesOf = (text: string): Bytes => Buffer.from(text).toString('latin1');
const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString();

class UrlFault extends Error {}

export function parseUrl(text: string): GoUrl | NoUrl {
	const [before, after] = cut(bytesOf(text), '#');
	let read = before;
	try {
		const url = parse(before);
		read = bytesOf(text);
		return { ...url, fragment: textOf(unescaped(after, 'other')) };
	} catch (error) {
		if (!(error instanceof UrlFault)) throw error;
		return { fault: `parse ${quoted(read)}: ${error.message}` };
	}
}

function cut(text: Bytes, at: string): readonly [Bytes, Bytes] {
	const i = text.indexOf(at);
	return i < 0 ? [text, ''] : [text.slice(0, i), text.slice(i + 1)];
}

/** Of a character that ends too early the bytes are shown. */
function quoted(bytes: Bytes): string {
	for (let end = bytes.length; end > bytes.length - 4 && end >= 0; end--) {
		if (bytesOf(textOf(bytes.slice(0, end))) !== bytes.slice(0, end)) continue;
		const rest = [...bytes.slice(end)].map((byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
		return `${goQuote(textOf(bytes.slice(0, end))).slice(0, -1)}${rest.join('')}"`;
	}
	return goQuote(textOf(bytes));
}

const CONTROL = /[\x00-\x1f\x7f]/; // oxlint-disable-line no-control-regex -- Go refuses control characters

function parse(text: Bytes): Omit<GoUrl, 'fragment'> {
	if (CONTROL.test(text)) throw new UrlFault('net/url: invalid control character in URL');
	if (text.startsWith(':')) throw new UrlFault('missing protocol scheme');
	const [, given = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? [];
	const scheme = given.toLowerCase();
	const [rest, query] = cut(given === '' ? text : text.slice(given.length + 1), '?');
	const url = { scheme, host: '', user: undefined, query: textOf(query) };
	if (!rest.startsWith('/')) {
		// What a scheme stands before is not looked into.
		if (scheme !== '') return url;
		if (text !== '*' && cut(rest, '/')[0].includes(':')) throw new UrlFault('first path segment in URL cannot contain colon');
	}
	if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
		unescaped(rest, 'other');
		return url;
	}
	const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
	const at = authority.lastIndexOf('@');
	const host = hostOf(scheme, authority.slice(at + 1));
	const user = at < 0 ? undefined : userOf(authority.slice(0, at));
	unescaped(path, 'other');
	return { ...url, host: textOf(host), user };
}

const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const PLAIN_IN_USER = /[^A-Za-z0-9\-_.~$&+,;=]/g;

function userOf(text: Bytes): string {
	if (!USER.test(text)) throw new UrlFault('net/url: invalid userinfo');
	const colon = text.indexOf(':');
	const parts = colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
	const hex = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
	return parts.map((part) => unescaped(part, 'other').replaceAll(PLAIN_IN_USER, hex)).join(':');
}

function hostOf(scheme: string, host: Bytes): Bytes {
	const open = host.lastIndexOf('[');
	if (open > 0) throw new UrlFault('invalid IP-literal');
	if (open === 0) return bracketed(host);
	// Other schemes may have lists of hosts and ports.
	const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
	if (colon >= 0) port(host.slice(colon));
	return unescaped(host, 'host');
}

function port(text: Bytes): void {
	if (!/^(?::\d*)?$/.test(text)) throw new UrlFault(`invalid port ${quoted(text)} after host`);
}

/** An IPv6 address, with a zone after "%25". */
function bracketed(host: Bytes): Bytes {
	const close = host.lastIndexOf(']');
	if (close < 0) throw new UrlFault("missing ']' in host");
	const after = host.slice(close + 1);
	port(after);
	const inside = host.slice(1, close);
	const zone = inside.indexOf('%25');
	const name = zone < 0 ? unescaped(inside, 'host') : unescaped(inside.slice(0, zone), 'host') + unescaped(inside.slice(zone), 'zone');
	const address = parseAddr(textOf(name));
	if (typeof address === 'string') throw new UrlFault(`invalid host: ${address}`);
	if (address.bits === 32) throw new UrlFault('invalid IP-literal');
	return `[${name}]${after}`;
}

const IN_HOST = /[A-Za-z0-9!$&'()*+,;=:[\]<>"\-_.~\x80-\xff]/;

/** Escapes in hosts stand for what is not ASCII; in zones also for what need not be escaped, and for spaces. */
function unescaped(text: Bytes, where: 'host' | 'zone' | 'other'): Bytes {
	let out = '';
	for (let i = 0; i < text.length; i++) {
		const char = text.charAt(i);
		if (char !== '%') {
			if (where !== 'other' && !IN_HOST.test(char)) throw new UrlFault(`invalid character ${quoted(char)} in host name`);
			out += char;
			continue;
		}
		const escape = text.slice(i, i + 3);
		const byte = /^%[0-9A-Fa-f]{2}$/.test(escape) ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : undefined;
		const isPlain =
			byte === '%' ||
			where === 'other' ||
			(where === 'zone' && byte !== undefined && byte < '\x80' && (byte === ' ' || IN_HOST.test(byte)));
		if (byte === undefined || !(isPlain || (where === 'host' && byte >= '\x80')))
			throw new UrlFault(`invalid URL escape ${quoted(escape)}`);
		out += byte;
		i += 2;
	}
	return out;
}
