/** CEL's grammar as the parser needs it: operators by precedence, reserved words, and the tokens one after another. */
import { OP } from './ast.ts';
import type { Issue } from './issues.ts';
import type { Token } from './lexer.ts';
import { Uint } from './values.ts';

export class Wrong extends Error {
	readonly issue: Issue;
	/** Whether it is the grammar. */
	readonly isSyntax: boolean;
	constructor(at: number, text: string, isSyntax = false) {
		super(text);
		this.issue = { at, text };
		this.isSyntax = isSyntax;
	}
}

/** cel-go's limit for the nesting of expressions, and for that of operators and selections. */
export const MAX_DEPTH = 250;
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
/** Names in backticks: the grammar has them, Kubernetes does not. */
export const UNSUPPORTED = "unsupported syntax: '`'";
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

	expect(text: string): Token {
		const token = this.take(text);
		if (token === undefined) throw this.unexpected();
		return token;
	}

	expectType(...types: readonly Token['type'][]): Token {
		const token = this.peek();
		if (!types.includes(token.type)) throw this.unexpected();
		this.#next++;
		return token;
	}

	/** Brackets around nothing may hold a comma. */
	skipLoneComma(close: string): void {
		if (this.isOp(',') && this.isOp(close, 1)) this.skip();
	}

	/** `.Name.Name {` after an identifier is a message's type. */
	takeMessageName(): { readonly rest: string; readonly brace: Token } | undefined {
		let ahead = 0;
		let rest = '';
		while (this.isOp('.', ahead) && this.peek(ahead + 1).type === 'ident') {
			rest += `.${this.peek(ahead + 1).text}`;
			ahead += 2;
		}
		if (!this.isOp('{', ahead)) return undefined;
		const brace = this.peek(ahead);
		this.skip(ahead + 1);
		return { rest, brace };
	}

	/** What it should have been is told by who knows the whole grammar (syntax.ts). */
	unexpected(): Wrong {
		return new Wrong(this.peek().at, 'Syntax error', true);
	}
}

export function doubleOf(token: Token): number {
	const value = Number(token.text);
	if (!Number.isFinite(value)) throw new Wrong(token.at, 'invalid double literal');
	return value;
}

export function intOf(token: Token, sign: string): bigint {
	const value = sign === '-' ? -BigInt(token.text) : BigInt(token.text);
	if (value < -(2n ** 63n) || value >= 2n ** 63n) throw new Wrong(token.at, 'invalid int literal');
	return value;
}

export function uintOf(token: Token): Uint {
	const value = BigInt(token.text.slice(0, -1));
	if (value >= 2n ** 64n) throw new Wrong(token.at, 'invalid uint literal');
	return new Uint(value);
}
