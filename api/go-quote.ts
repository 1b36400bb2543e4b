/** A text in double quotes as Go's %q writes it: what cannot be printed is escaped. */

const PLAIN = /^[ !#-[\]-~]*$/;
const NOT_PLAIN = /[^ !#-[\]-~]/gu;
const PRINTED = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
/** Characters that Go escapes by a letter. */
export const NAMED_ESCAPES: Readonly<Record<string, string>> = {
	'\u0007': '\\a',
	'\b': '\\b',
	'\f': '\\f',
	'\n': '\\n',
	'\r': '\\r',
	'\t': '\\t',
	'\v': '\\v',
	'"': '\\"',
	'\\': '\\\\',
};

export function goQuote(text: string): string {
	// By what is not plain: a text of a megabyte is mostly plain, as a broken expression that is shown a hundred times is.
	return PLAIN.test(text) ? `"${text}"` : `"${text.toWellFormed().replaceAll(NOT_PLAIN, escaped)}"`;
}

function escaped(char: string): string {
	const named = NAMED_ESCAPES[char];
	if (named !== undefined) return named;
	if (PRINTED.test(char)) return char;
	const code = char.codePointAt(0) ?? 0;
	const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
	if (code < 0x80) return `\\x${hex(2)}`;
	return code < 0x1_0000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
