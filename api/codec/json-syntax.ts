/** What is wrong with a text that is not JSON, in the words of Go's scanner (encoding/json). */
import { depthError } from './depth.ts';

/**
 * The first error of the text, which some parser refused.
 * @param bytes the text as it came, where that may have been no UTF-8
 */
export function jsonSyntaxError(text: string, bytes: Uint8Array = Buffer.from(text)): string {
	const tooDeep = depthError(text);
	if (tooDeep !== undefined) return tooDeep;
	try {
		new Scanner(bytes).document();
	} catch (error) {
		if (error instanceof SyntaxFound) return error.message;
		throw error;
	}
	return 'unexpected end of JSON input';
}

class SyntaxFound extends Error {}

const DIGIT = /[0-9]/;

class Scanner {
	readonly #bytes: Uint8Array;
	#at = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	document(): void {
		this.#value();
		this.#space();
		if (this.#at < this.#bytes.length) this.#fail('after top-level value');
	}

	/** The byte at hand as a character; '' at the end. */
	#char(): string {
		const byte = this.#bytes[this.#at];
		return byte === undefined ? '' : String.fromCharCode(byte);
	}

	/** To Go's scanner the end is one more space. */
	#failWithin(context: string): never {
		if (this.#char() !== '') this.#fail(context);
		throw new SyntaxFound(`invalid character ' ' ${context}`);
	}

	#fail(context: string): never {
		const char = this.#char();
		throw new SyntaxFound(char === '' ? 'unexpected end of JSON input' : `invalid character ${quoted(char)} ${context}`);
	}

	#space(): void {
		while (/[ \t\r\n]/.test(this.#char())) this.#at++;
	}

	/** Passes the character, which must be one of `wanted`; the answer is which. */
	#take(wanted: string, context: string): string {
		this.#space();
		const char = this.#char();
		if (char === '' || !wanted.includes(char)) this.#fail(context);
		this.#at++;
		return char;
	}

	#value(): void {
		this.#space();
		const char = this.#char();
		if (char === '{') this.#object();
		else if (char === '[') this.#array();
		else if (char === '"') this.#string();
		else if (char === '-' || DIGIT.test(char)) this.#number();
		else if (char === 't') this.#literal('true');
		else if (char === 'f') this.#literal('false');
		else if (char === 'n') this.#literal('null');
		else this.#fail('looking for beginning of value');
	}

	#object(): void {
		this.#at++;
		this.#space();
		if (this.#char() === '}') {
			this.#at++;
			return;
		}
		do {
			this.#space();
			if (this.#char() !== '"') this.#fail('looking for beginning of object key string');
			this.#string();
			this.#take(':', 'after object key');
			this.#value();
		} while (this.#take(',}', 'after object key:value pair') === ',');
	}

	#array(): void {
		this.#at++;
		this.#space();
		if (this.#char() === ']') {
			this.#at++;
			return;
		}
		do this.#value();
		while (this.#take(',]', 'after array element') === ',');
	}

	#string(): void {
		this.#at++;
		for (;;) {
			const char = this.#char();
			if (char === '' || char < ' ') this.#fail('in string literal');
			this.#at++;
			if (char === '"') return;
			if (char === '\\') this.#escape();
		}
	}

	#escape(): void {
		const char = this.#char();
		if (char === '' || !'bfnrt\\/"u'.includes(char)) this.#failWithin('in string escape code');
		this.#at++;
		if (char !== 'u') return;
		for (let i = 0; i < 4; i++) {
			if (!/[0-9a-fA-F]/.test(this.#char())) this.#failWithin('in \\u hexadecimal character escape');
			this.#at++;
		}
	}

	#number(): void {
		if (this.#char() === '-') this.#at++;
		if (this.#char() === '0') this.#at++;
		else this.#digits('in numeric literal');
		if (this.#char() === '.') {
			this.#at++;
			this.#digits('after decimal point in numeric literal');
		}
		if (/[eE]/.test(this.#char())) {
			this.#at++;
			if (/[+-]/.test(this.#char())) this.#at++;
			this.#digits('in exponent of numeric literal');
		}
	}

	#digits(context: string): void {
		if (!DIGIT.test(this.#char())) this.#failWithin(context);
		while (DIGIT.test(this.#char())) this.#at++;
	}

	#literal(word: string): void {
		for (const expected of word) {
			if (this.#char() !== expected) this.#failWithin(`in literal ${word} (expecting '${expected}')`);
			this.#at++;
		}
	}
}

/** Go's quoting of one byte. */
function quoted(char: string): string {
	if (char === "'") return "'\\''";
	if (char === '\\') return "'\\\\'";
	const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '\v': '\\v', '\u0007': '\\a' }[char];
	if (named !== undefined) return `'${named}'`;
	const code = char.charCodeAt(0);
	if (code < 32 || code === 127) return `'\\x${code.toString(16).padStart(2, '0')}'`;
	return code >= 128 && code < 161 ? `'\\u00${code.toString(16)}'` : `'${char}'`;
}
