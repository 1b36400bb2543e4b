/** The order of keys in YAML, as Go's writer has it (yaml.v2, sorter.go): numbers inside them by their value, and letters behind everything else. Pure. */

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const ZERO = 0x30;
const INT_BITS = 64;

/** Less than 0: `a` stands before `b`. */
export function compareYamlKeys(a: string, b: string): number {
	if (a === b) return 0;
	const at = firstDifference(a, b);
	if (at === Math.min(a.length, b.length)) return a.length - b.length;
	// Nearly all keys are told apart by letters of ASCII.
	const [plainX, plainY] = [a.charCodeAt(at), b.charCodeAt(at)];
	if (isAsciiLetter(plainX) && isAsciiLetter(plainY)) return plainX - plainY;
	const [x, y] = [charAt(a, at), charAt(b, at)];
	const [isLetterX, isLetterY] = [LETTER.test(x), LETTER.test(y)];
	if (isLetterX !== isLetterY) return isLetterX ? 1 : -1;
	const difference = code(x) - code(y);
	if (isLetterX) return difference;
	// A zero is one more digit of the number that it ends, and nothing where it begins one.
	const start = (x === '0' || y === '0') && hasDigitsBefore(a, at) ? 1n : 0n;
	const [m, n] = [numberAt(a, at, start), numberAt(b, at, start)];
	if (m.value !== n.value) return m.value < n.value ? -1 : 1;
	return m.digits - n.digits || difference;
}

/** Where a character begins that is not the same in both. */
function firstDifference(a: string, b: string): number {
	let at = 0;
	while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
	const isInside = at > 0 && isLowSurrogate(a, at) && isLowSurrogate(b, at);
	return isInside ? at - 1 : at;
}

const CASE = 0x20;
const isAsciiLetter = (unit: number): boolean => (unit | CASE) >= 0x61 && (unit | CASE) <= 0x7a;
const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
const code = (char: string): number => char.codePointAt(0) ?? 0;
const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

/** Whether what both begin with ends in a number that is not 0. */
function hasDigitsBefore(text: string, at: number): boolean {
	for (let i = at - 1; i >= 0 && DIGIT.test(text[i] as string); i--) if (text[i] !== '0') return true;
	return false;
}

function numberAt(text: string, at: number, start: bigint): { readonly value: bigint; readonly digits: number } {
	let value = start;
	let digits = 0;
	for (const char of text.slice(at)) {
		if (!DIGIT.test(char)) break;
		value = BigInt.asIntN(INT_BITS, value * 10n + BigInt(code(char) - ZERO));
		digits++;
	}
	return { value, digits };
}
