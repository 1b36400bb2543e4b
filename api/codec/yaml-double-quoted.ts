/** Texts in double quotes, as Go's YAML writer has them: what it cannot print is escaped, and long ones are folded. Pure. */

export const WIDTH = 80;

/**
 * Go's writer takes no character beyond the basic plane for one that prints, and no tab. The separators of lines and of paragraphs it leaves as they are, indented as
 * if all readers took them for ends of lines, which not all do.
 */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\u{10000}-\u{10ffff}]/u;
const ESCAPED = /["\\\n]/;
const BYTE_ORDER_MARK = '\ufeff';

const NAMED: Readonly<Record<string, string>> = {
	'\u0000': '0',
	'\u0007': 'a',
	'\b': 'b',
	'\t': 't',
	'\n': 'n',
	'\v': 'v',
	'\f': 'f',
	'\r': 'r',
	'\u001b': 'e',
	'"': '"',
	'\\': '\\',
	'\u0085': 'N',
	'\u00a0': '_',
	'\u2028': 'L',
	'\u2029': 'P',
};

export const isPrintable = (text: string): boolean => text.isWellFormed() && !UNPRINTABLE.test(text);

/** @param indent of further lines; `start` is the column of the first quote */
export function doubleQuoted(value: string, indent: number, start: number): string {
	const chars = [...value];
	// Behind a mark Go's writer escapes everything.
	const all = value.startsWith(BYTE_ORDER_MARK);
	let out = '"';
	let column = start + 1;
	let afterSpace = false;
	const put = (text: string): void => {
		out += text;
		column += text.length;
	};
	for (const [i, char] of chars.entries()) {
		if (all || UNPRINTABLE.test(char) || ESCAPED.test(char)) put(escaped(char));
		else if (char === ' ' && !afterSpace && column > WIDTH && i > 0 && i < chars.length - 1) {
			out += `\n${' '.repeat(indent)}`;
			column = indent;
			if (chars[i + 1] === ' ') put('\\');
		} else put(char);
		afterSpace = char === ' ';
	}
	return `${out}"`;
}

function escaped(char: string): string {
	const name = NAMED[char];
	if (name !== undefined) return `\\${name}`;
	const code = char.codePointAt(0) ?? 0;
	const [letter, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
	return `\\${letter}${code
		.toString(16)
		.toUpperCase()
		.padStart(digits as number, '0')}`;
}
