/** Tokens of CEL. */
import { unescapeBytes, unescapeText } from './literals.ts';
import type { Issue } from './issues.ts';

export type TokenType = 'ident' | 'escaped' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'op' | 'end';

export interface Token {
	readonly type: TokenType;
	/** As it stands in the source; '<EOF>' at the end. */
	readonly text: string;
	readonly at: number;
	/** Space and comments before it. */
	readonly hidden: string;
	/** Of strings and bytes, unescaped. */
	readonly value?: string | Uint8Array;
}

const SPACE = /(?:[ \t\r\n\f]|\/\/[^\n]*)*/y;
const NUMBER = /(?:(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+|\d+)([uU])?)/y;
const STRING = /([bB]?[rR]?)("""|'''|"|')/y;
const IDENT = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const ESCAPED = /`([a-zA-Z0-9_./\- ]+)`/y;
/** One that breaks off, with the character that breaks it. */
const HALF_ESCAPED = /`[a-zA-Z0-9_./\- ]*[^]?/uy;
const OPERATOR = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const KEYWORDS = new Set(['in', 'true', 'false', 'null']);
/** Half an operator: a generated lexer fails at what follows it, and passes over both. */
const HALF = /[=&|]/;

export function tokensOf(source: string): { readonly tokens: readonly Token[]; readonly issues: readonly Issue[] } {
	const tokens: Token[] = [];
	const issues: Issue[] = [];
	let at = 0;
	/** What stands before the next token and is none. */
	let hidden = '';
	const add = (token: Omit<Token, 'hidden'>): void => {
		tokens.push({ ...token, hidden });
		hidden = '';
	};
	const match = (pattern: RegExp): RegExpExecArray | null => {
		pattern.lastIndex = at;
		return pattern.exec(source);
	};
	for (;;) {
		const space = match(SPACE)?.[0] ?? '';
		at += space.length;
		hidden += space;
		if (at >= source.length) break;
		const opening = match(STRING);
		if (opening !== null) {
			let string = stringAt(source, opening, at);
			const prefix = opening[1] ?? '';
			if (string.type === 'end' && prefix !== '') {
				add({ type: 'ident', text: prefix, at });
				at += prefix.length;
				string = { ...string, text: string.text.slice(prefix.length), at };
			}
			at += string.text.length;
			if (string.type !== 'end') add(string);
			// What has no end is no token.
			const issue = string.type === 'end' ? unrecognized(string.text) : string.issue;
			if (issue !== undefined) issues.push({ at: string.at, text: issue });
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
			const wrong = match(HALF_ESCAPED)?.[0] ?? (HALF.test(first) ? first + second : first);
			issues.push({ at, text: unrecognized(wrong) });
			at += wrong.length;
			continue;
		}
		if (number !== null) add({ type: number[1] !== undefined ? 'float' : number[3] === undefined ? 'int' : 'uint', text, at });
		else if (ident !== null) add({ type: KEYWORDS.has(text) ? 'op' : 'ident', text, at });
		else if (escaped !== null) add({ type: 'escaped', text, at, value: escaped[1] ?? '' });
		else add({ type: 'op', text, at });
		at += text.length;
	}
	add({ type: 'end', text: '<EOF>', at: source.length });
	return { tokens, issues };
}

/** As errors show it: lines and tabs escaped. */
export const displayed = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');

const unrecognized = (text: string): string => `Syntax error: token recognition error at: '${text}'`;

/** One escape; matched as far as it goes where it is none. */
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[0-3](?:[0-7](?:[0-7])?)?|[xX][0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8})?/y;
const WHOLE_ESCAPE = /^\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX].{2}|u.{4}|U.{8})$/;

type Literal = Omit<Token, 'hidden'> & { readonly issue?: string };

/** A token of type 'end': a literal that breaks off, with the character that breaks it. */
function stringAt(source: string, [opening, prefix = '', quote = '']: RegExpExecArray, at: number): Literal {
	const raw = /r/i.test(prefix);
	const broken = (end: number): Literal => {
		// Three quotes without their end are an empty literal and one more quote.
		const text = quote.length === 3 ? opening.slice(0, -1) : source.slice(at, end + ([...source.slice(end, end + 2)][0]?.length ?? 0));
		return quote.length === 3 ? literal(text, '', prefix, at) : { type: 'end', text, at };
	};
	let end = at + opening.length;
	while (!source.startsWith(quote, end)) {
		const char = source[end];
		if (char === undefined || (quote.length === 1 && (char === '\n' || char === '\r'))) return broken(end);
		if (char !== '\\' || raw) {
			end++;
			continue;
		}
		ESCAPE.lastIndex = end;
		const [escape = ''] = ESCAPE.exec(source) ?? [];
		end += escape.length;
		if (!WHOLE_ESCAPE.test(escape)) return broken(end);
	}
	return literal(source.slice(at, end + quote.length), source.slice(at + opening.length, end), prefix, at);
}

function literal(text: string, given: string, prefix: string, at: number): Literal {
	const [raw, bytes] = [/r/i.test(prefix), /b/i.test(prefix)];
	const body = given.replace(/\r\n?/g, '\n');
	try {
		if (bytes) return { type: 'bytes', text, at, value: raw ? Buffer.from(body) : unescapeBytes(body) };
		return { type: 'string', text, at, value: raw ? body : unescapeText(body) };
	} catch (error) {
		return { type: 'string', text, at, value: '', issue: (error as Error).message };
	}
}
