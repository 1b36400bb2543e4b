/** What is wrong with a JSONPath template, in the words of client-go's parser (util/jsonpath), which takes more than paths: words, numbers, texts. Pure. */
import { trimmed } from './go-trim.ts';

/** @param template with its braces: "{.spec.x}" */
export function jsonPathFault(template: string): string | undefined {
	try {
		new Reader(template).template();
		return undefined;
	} catch (error) {
		if (error instanceof FaultFound) return error.message;
		throw error;
	}
}

class FaultFound extends Error {}

const fail = (text: string): never => {
	throw new FaultFound(text);
};

const ENDS_NAME = new Set(['', ' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);
const SLICE = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/;
const COMPARISON = /^([^!<>=]+)[!<>=]+([^\n]+)$/;
const MAX_INDEX = 2n ** 63n;

class Reader {
	readonly #text: string;
	#at = 0;

	constructor(text: string) {
		this.#text = text;
	}

	/** Texts with actions in braces. */
	template(): void {
		for (let open = this.#text.indexOf('{'); open >= 0; open = this.#text.indexOf('{', this.#at)) {
			this.#at = open + 1;
			this.#action();
		}
	}

	#action(): void {
		let isDeep = false;
		for (;;) {
			const wasDeep: boolean = isDeep;
			isDeep = false;
			if (this.#takes('}')) return;
			if (this.#takes('[?(')) this.#filter();
			else if (this.#takes('..')) {
				if (wasDeep) fail('invalid multiple recursive descent');
				if (/^[_\p{L}\p{Nd}]/u.test(this.#peek())) this.#field();
				else isDeep = true;
			} else isDeep = this.#step() && wasDeep;
		}
	}

	/** Whether nothing of a path was there. */
	#step(): boolean {
		const char = this.#next();
		if (char === '' || char === '\r' || char === '\n') fail('unclosed action');
		if (char === ' ' || char === '@' || char === '$') return true;
		if (char === '[') this.#array();
		else if (char === '"' || char === "'") this.#quoted(char);
		else if (char === '.') this.#field();
		else if (/[-+\p{Nd}]/u.test(char)) this.#number(char);
		else if (/[_\p{L}]/u.test(char)) while (!ENDS_NAME.has(this.#peek())) this.#next();
		else fail(`unrecognized character in action: ${codePoint(char)}`);
		return false;
	}

	#field(): void {
		while (!ENDS_NAME.has(this.#peek())) if (this.#next() === '\\') this.#next();
	}

	#number(first: string): void {
		let value = first;
		while (/^[.\p{Nd}]/u.test(this.#peek())) value += this.#next();
		if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) fail(`cannot parse number ${value}`);
	}

	#array(): void {
		const text = this.#until(']', 'unterminated array');
		const parts = text.split(',');
		if (parts.length > 1) for (const part of parts) inner(`[${trimmed(part, (char) => char === ' ')}]`);
		else if (/^'[^']*'$/.test(text)) inner(`.${text.slice(1, -1)}`);
		else if (text !== '*') {
			const indexes = SLICE.exec(text) ?? fail(`invalid array index ${text}`);
			for (const index of indexes.slice(1)) if ((index ?? '') !== '' && !isIndex(index)) fail(`array index ${index} is not a number`);
		}
	}

	#until(end: string, missing: string): string {
		const from = this.#at;
		for (let char = this.#next(); char !== end; char = this.#next()) if (char === '' || char === '\n') fail(missing);
		return this.#text.slice(from, this.#at - 1);
	}

	/** One pair of quotes at most, within which a bracket ends nothing. */
	#filter(): void {
		const from = this.#at;
		let [pair, isPaired] = ['', true];
		for (let char = this.#next(); char !== ')' || !isPaired; char = this.#next()) {
			if (char === '' || char === '\n') fail('unterminated filter');
			if (char !== '"' && char !== "'") continue;
			if (pair === '') [pair, isPaired] = [char, false];
			else if (char === pair && this.#text[this.#at - 2] !== '\\') isPaired = true;
		}
		const text = this.#text.slice(from, this.#at - 1);
		if (this.#next() !== ']') fail('unclosed array expect ]');
		const [, left, right] = COMPARISON.exec(text) ?? [];
		if (left === undefined) inner(text);
		else for (const side of [left, right as string]) inner(side);
	}

	#quoted(quote: string): void {
		const from = this.#at;
		do this.#until(quote, 'unterminated quoted string');
		while (this.#text[this.#at - 2] === '\\');
		const text = this.#text.slice(from, this.#at - 1);
		if (!isUnquotable(text, quote)) fail(`unquote string ${quote}${text}${quote} error invalid syntax`);
	}

	#takes(prefix: string): boolean {
		const isThere = this.#text.startsWith(prefix, this.#at);
		if (isThere) this.#at += prefix.length;
		return isThere;
	}

	/** The character at hand; '' at the end. */
	#peek(): string {
		const point = this.#text.codePointAt(this.#at);
		return point === undefined ? '' : String.fromCodePoint(point);
	}

	#next(): string {
		const char = this.#peek();
		this.#at += char.length;
		return char;
	}
}

function inner(action: string): void {
	new Reader(`{${action}}`).template();
}

function isIndex(text: string | undefined): boolean {
	if (text === undefined || !/^-?\d+$/.test(text)) return false;
	const index = BigInt(text);
	return index < MAX_INDEX && index >= -MAX_INDEX;
}

function isUnquotable(text: string, quote: string): boolean {
	if (!text.includes('\\') && !text.includes(quote)) return true;
	const escaped = text
		.replaceAll(/\\(?:[abfnrtv\\]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3})/g, '')
		.replaceAll(`\\${quote}`, '');
	return !escaped.includes('\\') && !escaped.includes(quote);
}

/** As Go's %#U has it: what cannot be printed is not. */
function codePoint(char: string): string {
	const shown = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char) ? ` '${char}'` : '';
	return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}${shown}`;
}
