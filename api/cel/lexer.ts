/** Tokens of CEL. */
import { unescapeBytes, unescapeText } from './literals.ts';
import type { Issue } from './issues.ts';

export type TokenType = 'ident' | 'escaped' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'op' | 'end';

export interface Token {
	readonly type: TokenType;
	/** As it stands in the source; '<EOF>' at the end. */
	readonly text: string;
	readonly at: number;
	/** Of strings and bytes, unescaped. */
	readonly value?: string | Uint8Array;
}

const SPACE = /(?:[ \t\r\n\f]|\/\/[^\n]*)*/y;
const NUMBER = /(?:(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+|\d+)([uU])?)/y;
const STRING = /([rR]?[bB]?|[bB]?[rR]?)("""|'''|"|')/y;
const IDENT = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const ESCAPED = /`([a-zA-Z0-9_./\- ]+)`/y;
const OPERATOR = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
/** Half an operator: a generated lexer fails at what follows it, and passes over both. */
const HALF = /[=&|]/;

export function tokensOf(source: string): { readonly tokens: readonly Token[]; readonly issues: readonly Issue[] } {
	const tokens: Token[] = [];
	const issues: Issue[] = [];
	let at = 0;
	const match = (pattern: RegExp): RegExpExecArray | null => {
		pattern.lastIndex = at;
		return pattern.exec(source);
	};
	for (;;) {
		at += match(SPACE)?.[0].length ?? 0;
		if (at >= source.length) break;
		const string = stringAt(source, match(STRING), at, issues);
		if (string !== undefined) {
			// What has no end is no token.
			if (string.type !== 'end') tokens.push(string);
			at += string.text.length;
			continue;
		}
		const isFraction = source[at] === '.' && !/\d/.test(source[at + 1] ?? '');
		const number = isFraction ? null : match(NUMBER);
		const ident = number === null ? match(IDENT) : null;
		const escaped = number === null && ident === null ? match(ESCAPED) : null;
		const operator = number === null && ident === null && escaped === null ? match(OPERATOR) : null;
		const text = (number ?? ident ?? escaped ?? operator)?.[0];
		if (text === undefined) {
			const [first = '', second = ''] = [...source.slice(at, at + 4)];
			const wrong = HALF.test(first) ? first + second : first;
			issues.push({ at, text: `Syntax error: token recognition error at: '${wrong}'` });
			at += wrong.length;
			continue;
		}
		if (number !== null) tokens.push({ type: number[1] !== undefined ? 'float' : number[3] === undefined ? 'int' : 'uint', text, at });
		else if (ident !== null) tokens.push({ type: text === 'in' ? 'op' : 'ident', text, at });
		else if (escaped !== null) tokens.push({ type: 'escaped', text, at, value: escaped[1] ?? '' });
		else tokens.push({ type: 'op', text, at });
		at += text.length;
	}
	tokens.push({ type: 'end', text: '<EOF>', at: source.length });
	return { tokens, issues };
}

function stringAt(source: string, start: RegExpExecArray | null, at: number, issues: Issue[]): Token | undefined {
	if (start === null) return undefined;
	const [opening, prefix = '', quote = ''] = start;
	const raw = /r/i.test(prefix);
	const bytes = /b/i.test(prefix);
	let end = at + opening.length;
	for (; ; end++) {
		if (end >= source.length || (quote.length === 1 && source[end] === '\n')) {
			issues.push({ at, text: `Syntax error: token recognition error at: '${source.slice(at, end)}'` });
			return { type: 'end', text: source.slice(at, end), at };
		}
		if (source[end] === '\\' && !raw) end++;
		else if (source.startsWith(quote, end)) break;
	}
	const body = source.slice(at + opening.length, end);
	const text = source.slice(at, end + quote.length);
	try {
		if (bytes) return { type: 'bytes', text, at, value: raw ? Buffer.from(body) : unescapeBytes(body) };
		return { type: 'string', text, at, value: raw ? body : unescapeText(body) };
	} catch (error) {
		issues.push({ at, text: `Syntax error: ${(error as Error).message}` });
		return { type: 'string', text, at, value: '' };
	}
}
