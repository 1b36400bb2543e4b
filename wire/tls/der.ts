/** DER (X.690) as far as certificates need it: values written from the inside out, and a walk over what one holds. */

const TAGS = {
	boolean: 0x01,
	integer: 0x02,
	bitString: 0x03,
	octetString: 0x04,
	objectIdentifier: 0x06,
	utf8String: 0x0c,
	printableString: 0x13,
	utcTime: 0x17,
	generalizedTime: 0x18,
	sequence: 0x30,
	set: 0x31,
} as const;

/** One value: its tag, its length, its bytes. */
function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
	const body = Buffer.concat(content);
	return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

/** Context-specific, holding other values (`[0]` of a certificate's version, say). */
export const explicit = (tag: number, ...content: readonly Uint8Array[]): Buffer => tagged(0xa0 | tag, ...content);
/** Context-specific, its own bytes instead of a universal type's. */
export const implicit = (tag: number, content: Uint8Array): Buffer => tagged(0x80 | tag, content);
export const sequence = (...content: readonly Uint8Array[]): Buffer => tagged(TAGS.sequence, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => tagged(TAGS.set, ...content);
export const octetString = (content: Uint8Array): Buffer => tagged(TAGS.octetString, content);
export const NULL = Buffer.from([0x05, 0x00]);
export const TRUE = tagged(TAGS.boolean, Buffer.from([0xff]));

/** @param unused bits at the end that say nothing */
export const bitString = (content: Uint8Array, unused = 0): Buffer => tagged(TAGS.bitString, Buffer.from([unused]), content);

/** A number that is not negative, from its bytes, the highest first. */
export function integer(bytes: Uint8Array): Buffer {
	const from = bytes.findIndex((byte) => byte !== 0);
	const shortest = from === -1 ? Buffer.from([0]) : bytes.subarray(from);
	// Where the highest bit is set, the number would read as a negative one.
	return tagged(TAGS.integer, (shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), shortest]) : shortest);
}

/** @param dotted such as "2.5.29.17" */
export function objectIdentifier(dotted: string): Buffer {
	const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
	return tagged(TAGS.objectIdentifier, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** As Go writes a name: a PrintableString where its few characters are enough. */
export function text(value: string): Buffer {
	return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value)
		? tagged(TAGS.printableString, Buffer.from(value, 'latin1'))
		: tagged(TAGS.utf8String, Buffer.from(value, 'utf8'));
}

/** To the second; of two digits for the year until 2049 (RFC 5280, section 4.1.2.5). */
export function time(ms: number): Buffer {
	const digits = `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
	return digits < '2050' ? tagged(TAGS.utcTime, Buffer.from(digits.slice(2))) : tagged(TAGS.generalizedTime, Buffer.from(digits));
}

/** The values inside one value, each with its tag and length. Trusts that it is DER. */
export function within(value: Buffer): Buffer[] {
	const found: Buffer[] = [];
	const outer = extent(value);
	for (let at = outer.start; at < outer.end; ) {
		const { end } = extent(value.subarray(at));
		found.push(value.subarray(at, at + end));
		at += end;
	}
	return found;
}

/** A value's own bytes. */
export function contentOf(value: Buffer): Buffer {
	const { start, end } = extent(value);
	return value.subarray(start, end);
}

/** Where the bytes of the value at the beginning lie. */
function extent(value: Buffer): { readonly start: number; readonly end: number } {
	const first = value[1] ?? 0;
	if (first < 0x80) return { start: 2, end: 2 + first };
	const size = first & 0x7f;
	return { start: 2 + size, end: 2 + size + value.readUIntBE(2, size) };
}

function length(bytes: number): Buffer {
	if (bytes < 0x80) return Buffer.from([bytes]);
	const digits: number[] = [];
	for (let rest = bytes; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
	return Buffer.from([0x80 | digits.length, ...digits]);
}

function base128(number: number): number[] {
	const digits = [number % 128];
	for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest % 128));
	return digits;
}
