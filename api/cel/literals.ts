/** Escape sequences of string and bytes literals. */

const SIMPLE: Readonly<Record<string, string>> = {
	a: '\x07',
	b: '\b',
	f: '\f',
	n: '\n',
	r: '\r',
	t: '\t',
	v: '\v',
	'\\': '\\',
	"'": "'",
	'"': '"',
	'`': '`',
	'?': '?',
};
const ESCAPE = /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]|$))/g;

const NOT_UNESCAPED = 'unable to unescape string';

export function unescapeText(body: string): string {
	return body.replace(ESCAPE, (_whole, simple?: string, hex?: string, u4?: string, u8?: string, octal?: string) => {
		if (simple !== undefined) return SIMPLE[simple] as string;
		if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
		const digits = hex ?? u4 ?? u8;
		const code = digits === undefined ? Number.NaN : Number.parseInt(digits, 16);
		if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff))
			throw new SyntaxError(digits === undefined ? NOT_UNESCAPED : 'invalid unicode code point');
		return String.fromCodePoint(code);
	});
}

export function unescapeBytes(body: string): Uint8Array {
	const parts: Buffer[] = [];
	let from = 0;
	for (const found of body.matchAll(ESCAPE)) {
		const [whole, simple, hex, , , octal] = found;
		parts.push(Buffer.from(body.slice(from, found.index)));
		from = found.index + whole.length;
		if (simple !== undefined) parts.push(Buffer.from(SIMPLE[simple] as string));
		else if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
		else if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8)]));
		else throw new SyntaxError(NOT_UNESCAPED);
	}
	parts.push(Buffer.from(body.slice(from)));
	return Buffer.concat(parts);
}
