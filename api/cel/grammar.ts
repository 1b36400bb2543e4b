/** CEL's grammar as the parser needs it: operators by precedence, reserved words, and the tokens one after another. */
import { OP } from './ast.ts';
import type { Issue } from './issues.ts';
import type { Token } from './lexer.ts';
import { Uint } from './values.ts';

export class Wrong extends Error {
	readonly issue: Issue;
	constructor(at: number, text: string) {
		super(text);
		this.issue = { at, text };
	}
}

/** cel-go's limits: nesting of the grammar, and length of a source. */
export const MAX_DEPTH = 250;
const LITERALS = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const EXPRESSION_START = `{'[', '{', '(', '.', '-', '!', ${LITERALS}`;
/** What may come first within brackets, by the one that opens them. */
const FIRST_WITHIN: Readonly<Record<string, string>> = {
	'[': `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${LITERALS}`,
	'{': `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${LITERALS}`,
	'(': `{'[', '{', '(', ')', '.', '-', '!', ${LITERALS}`,
};
export const RESERVED = new Set([
	'as',
	'break',
	'const',
	'continue',
	'else',
	'for',
	'function',
	'if',
	'import',
	'let',
	'loop',
	'package',
	'namespace',
	'return',
	'var',
	'void',
	'while',
]);
export const RELATIONS: Readonly<Record<string, string>> = {
	'<': OP.less,
	'<=': OP.lessEquals,
	'>': OP.greater,
	'>=': OP.greaterEquals,
	'==': OP.equals,
	'!=': OP.notEquals,
	in: OP.in,
};
export const SUMS: Readonly<Record<string, string>> = { '+': OP.add, '-': OP.subtract };
export const PRODUCTS: Readonly<Record<string, string>> = { '*': OP.multiply, '/': OP.divide, '%': OP.modulo };

/** Reads tokens one after another. */
export class Cursor {
	readonly #tokens: readonly Token[];
	#next = 0;

	constructor(tokens: readonly Token[]) {
		this.#tokens = tokens;
	}

	/** The token `ahead` places further. */
	peek(ahead = 0): Token {
		return (this.#tokens[this.#next + ahead] ?? this.#tokens.at(-1)) as Token;
	}

	skip(count = 1): void {
		this.#next += count;
	}

	isOp(text: string, ahead = 0): boolean {
		const token = this.peek(ahead);
		return token.type === 'op' && token.text === text;
	}

	take(text: string): Token | undefined {
		if (!this.isOp(text)) return undefined;
		const token = this.peek();
		this.#next++;
		return token;
	}

	expect(text: string, expecting: string): Token {
		const token = this.take(text);
		if (token !== undefined) return token;
		const found = this.peek();
		throw new Wrong(found.at, `Syntax error: mismatched input '${found.text}' expecting ${expecting}`);
	}

	/** For who has just read the bracket that opens a list, a map or arguments. */
	notAtEnd(bracket: string): void {
		const token = this.peek();
		if (token.type === 'end')
			throw new Wrong(token.at, `Syntax error: mismatched input '${token.text}' expecting ${FIRST_WITHIN[bracket]}`);
	}

	/** What follows the dot is none. */
	noName(dot: Token): Wrong {
		const { at, type, text } = this.peek();
		const input = type === 'end' ? '.' : `.${' '.repeat(at - dot.at - 1)}${text}`;
		return new Wrong(at, `Syntax error: no viable alternative at input '${input}'`);
	}

	unexpected(token: Token): Wrong {
		const follows = this.peek();
		const alone = token.type !== 'end' && follows.type !== 'end' && follows.type !== 'op';
		return new Wrong(token.at, `Syntax error: ${alone ? 'extraneous' : 'mismatched'} input '${token.text}' expecting ${EXPRESSION_START}`);
	}
}

export function doubleOf(token: Token): number {
	const value = Number(token.text);
	if (!Number.isFinite(value)) throw new Wrong(token.at, 'invalid double literal');
	return value;
}

export function intOf(token: Token, sign: string): bigint {
	const value = sign === '-' ? -BigInt(token.text) : BigInt(token.text);
	if (value < -(2n ** 63n) || value >= 2n ** 63n) throw new Wrong(token.at, 'Syntax error: invalid int literal');
	return value;
}

export function uintOf(token: Token): Uint {
	const value = BigInt(token.text.slice(0, -1));
	if (value >= 2n ** 64n) throw new Wrong(token.at, 'Syntax error: invalid uint literal');
	return new Uint(value);
}
