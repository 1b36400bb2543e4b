/** The words and marks of a label selector's text. */

export type TokenKind = 'word' | 'in' | 'notin' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'error' | 'end';

export interface Token {
	readonly kind: TokenKind;
	readonly text: string;
}

/** A zero byte ends a word, and anywhere else the text: that is how Go's reader knows its end. */
const TOKEN = /[ \t\r\n]*([^ \t\r\n=!(),><\0]+|[=!(),><]+)\0?/gy;
const MARKS: ReadonlySet<string> = new Set(['(', ')', ',', '!', '=', '==', '!=', '>', '<']);

export function tokens(text: string): readonly Token[] {
	return [...text.matchAll(TOKEN)].flatMap(([, found = '']) => (/^[=!(),><]/.test(found) ? marks(found) : [word(found)]));
}

function word(text: string): Token {
	return { kind: text === 'in' || text === 'notin' ? text : 'word', text };
}

/** A run of marks: the longest that mean something, one after the other. */
function marks(run: string): Token[] {
	const out: Token[] = [];
	for (let at = 0; at < run.length; ) {
		const two = run.slice(at, at + 2);
		const text = MARKS.has(two) ? two : run.slice(at, at + 1);
		out.push({ kind: MARKS.has(text) ? (text as TokenKind) : 'error', text });
		at += text.length;
	}
	return out;
}
