/**
 * JSON text: integers beyond 2^53 kept exactly (as bigint), found by a cheap scan before the slow parse; repeated keys found on demand.
 */
import { cutTooDeep, depthError, endOfText, MAX_DEPTH, MAX_SENT_DEPTH } from './depth.ts';
import { hasFloatLiteral, numberOf } from './float-literal.ts';
import { wellFormed } from './well-formed.ts';

/** So many digits in a row may be an integer that a double cannot hold. */
const LONG = 16;
const ZERO = 0x30;
const NINE = 0x39;

declare global {
	interface JSON {
		/** ES2025's neighbour proposal, in Node 22 and later: text that stringify writes as it is. */
		rawJSON(text: string): unknown;
	}
}

// A bigint in an API object is an exact integer: it is written as its digits.
Object.defineProperty(BigInt.prototype, 'toJSON', {
	configurable: true,
	writable: true,
	value(this: bigint): unknown {
		return JSON.rawJSON(this.toString());
	},
});

/** Parses; SyntaxError as the platform words it. */
export function parseJson(text: string): unknown {
	return hasLongInteger(text) ? parseNumbers(text, exact) : JSON.parse(text);
}

function parseNumbers(text: string, read: (value: number, source: string) => unknown): unknown {
	return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
		typeof value === 'number' && context?.source !== undefined ? read(value, context.source) : value,
	);
}

function exact(value: number, source: string): number | bigint {
	return !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** What a client sent: SyntaxError also for what nests deeper than anything may. */
export function parseSentJson(text: string): unknown {
	const tooDeep = depthError(text);
	if (tooDeep !== undefined) throw new SyntaxError(tooDeep);
	return wellFormed(text, parseJson(text));
}

/** As parseSentJson, for what is decoded by Go types: whole numbers that were written as floats are FloatLiterals. */
export function parseTypedJson(text: string): unknown {
	const tooDeep = depthError(text);
	if (tooDeep !== undefined) throw new SyntaxError(tooDeep);
	return wellFormed(text, parseLiterals(text));
}

function parseLiterals(text: string): unknown {
	if (!hasFloatLiteral(text)) return parseJson(text);
	return parseNumbers(text, (value, source) => {
		const number = exact(value, source);
		return typeof number === 'number' ? numberOf(number, source) : number;
	});
}

/** As parseTypedJson, for what drops fields that it does not know: what is too deep is emptied, unless it is deeper than Go's reader goes. `tooDeep`: what to say where it is kept. */
export function parseDeepJson(text: string): {
	readonly value: unknown;
	readonly tooDeep?: string;
	readonly overflow?: string | undefined;
} {
	const tooDeep = depthError(text);
	if (tooDeep === undefined) return { value: wellFormed(text, parseLiterals(text)) };
	// The parser that keeps long integers exactly calls itself at each level.
	if (depthError(text, MAX_SENT_DEPTH) !== undefined || hasLongInteger(text)) throw new SyntaxError(tooDeep);
	const value: unknown = JSON.parse(text);
	cutTooDeep(value);
	return { value: wellFormed(text, value), tooDeep };
}

/** So long an exponent, or so many digits. */
const MAY_OVERFLOW = /[eE]\+?\d{3}|\d{309}/;

/** What Go says of a number that no double holds; undefined where the (valid) text has none. */
export function overflowError(text: string, where = 'value'): string | undefined {
	if (!MAY_OVERFLOW.test(text)) return undefined;
	let found: string | undefined;
	parseNumbers(text, (value, source) => {
		if (!Number.isFinite(value)) found ??= source;
		return value;
	});
	return found === undefined ? undefined : `json: cannot unmarshal number ${found} into Go ${where} of type float64`;
}

/** Whether so many digits stand in a row. It looks at every sixteenth character only, which no long run can pass: 2 % of the time of parsing. */
export function hasLongInteger(text: string): boolean {
	for (let at = LONG - 1; at < text.length; at += LONG) {
		if (!isDigit(text, at)) continue;
		let start = at;
		let end = at + 1;
		while (isDigit(text, start - 1)) start--;
		while (isDigit(text, end)) end++;
		if (end - start >= LONG) return true;
	}
	return false;
}

function isDigit(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code >= ZERO && code <= NINE;
}

/** Dotted paths of keys that stand more than once in their object, in order: "metadata.name", "spec.containers[0].image". `value` is what the (valid) text says. */
export function repeatedKeys(text: string, value: unknown): readonly string[] {
	if (keysIn(text) === keysOf(value)) return [];
	return [...keyPaths(text)].filter(({ again }) => again).map(({ path }) => path);
}

const COLON = 0x3a;
const SPACE = 0x20;

/** How many keys the text has: strings before a colon. */
function keysIn(text: string): number {
	let keys = 0;
	for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
		at = endOfText(text, at) + 1;
		while (text.charCodeAt(at) <= SPACE) at++;
		if (text.charCodeAt(at) === COLON) keys++;
	}
	return keys;
}

function keysOf(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	let keys = 0;
	if (Array.isArray(value)) {
		for (const item of value) keys += keysOf(item);
		return keys;
	}
	for (const key of Object.keys(value)) keys += 1 + keysOf((value as Record<string, unknown>)[key]);
	return keys;
}

/** The path of each key of a (valid) text, in its order, and whether its object has had that key before. */
export function* keyPaths(text: string): Generator<{ readonly path: string; readonly again: boolean }> {
	const stack: { path: string; keys: Set<string> | undefined; index: number; child: string; expectKey: boolean }[] = [];
	const open = (array: boolean): void => {
		const top = stack.at(-1);
		const path = top === undefined ? '' : top.keys === undefined ? `${top.path}[${top.index}]` : top.child;
		stack.push({ path, keys: array ? undefined : new Set(), index: 0, child: '', expectKey: !array });
	};
	for (let i = 0; i < text.length; i++) {
		const top = stack.at(-1);
		switch (text.charAt(i)) {
			case '{':
				open(false);
				break;
			case '[':
				open(true);
				break;
			case '}':
			case ']':
				stack.pop();
				break;
			case ',':
				if (top === undefined) break;
				if (top.keys === undefined) top.index++;
				else top.expectKey = true;
				break;
			case '"': {
				const end = endOfString(text, i);
				if (top?.expectKey === true && stack.length <= MAX_DEPTH) {
					const key = JSON.parse(text.slice(i, end + 1)) as string;
					top.child = top.path === '' ? key : `${top.path}.${key}`;
					const again = top.keys?.has(key) === true;
					top.keys?.add(key);
					yield { path: top.child, again };
					top.expectKey = false;
				}
				i = end;
			}
		}
	}
}

function endOfString(text: string, start: number): number {
	for (let i = start + 1; i < text.length; i++) {
		if (text[i] === '\\') i++;
		else if (text[i] === '"') return i;
	}
	return text.length;
}
