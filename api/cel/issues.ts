/** What is wrong with an expression, told as upstream's compiler tells it: place, text and the line with a mark below. */

/** The place of what is wrong with the whole. */
export const NOWHERE = -1;
/** cel-go's limits: issues that are told, and bytes of a line that is shown. */
const MAX_ISSUES = 100;
const MAX_LINE_BYTES = 16_384;

export interface Issue {
	/** In the source; or NOWHERE. */
	readonly at: number;
	readonly text: string;
}

/** The expression does not compile. */
export class CompileError extends Error {
	readonly issues: readonly Issue[];

	constructor(source: string, given: readonly Issue[]) {
		const issues = given.slice(0, MAX_ISSUES).toSorted((a, b) => a.at - b.at);
		const left = given.length - issues.length;
		const last = left === 0 ? [] : [`${left} more errors were truncated`];
		super([...issues.map((issue) => shown(source, issue)), ...last].join('\n'));
		this.name = 'CompileError';
		this.issues = issues;
	}
}

function shown(source: string, { at, text }: Issue): string {
	if (at === NOWHERE) return `ERROR: <input>:-1:0: ${text}`;
	if (source === '') return `ERROR: <input>:1:0: ${text}`;
	const before = source.slice(0, at);
	const line = before.split('\n').length;
	const start = before.lastIndexOf('\n') + 1;
	const column = [...source.slice(start, at)].length;
	const end = source.indexOf('\n', start);
	const shownLine = source.slice(start, end < 0 ? source.length : end).replaceAll('\t', ' ');
	const place = `ERROR: <input>:${line}:${column + 1}: ${text}`;
	if (Buffer.byteLength(shownLine) > MAX_LINE_BYTES) return place;
	const [dots, mark] = [[...source.slice(start, at)].map((c) => (isWide(c) ? '\uFF0E' : '.')).join(''), source.codePointAt(at)];
	const arrow = mark !== undefined && isWide(String.fromCodePoint(mark)) ? '\uFF3E' : '^';
	return `${place}\n | ${shownLine}\n | ${dots}${arrow}`;
}

/** Beyond ASCII: marked by a character as wide as most of them. */
const isWide = (character: string): boolean => character.charCodeAt(0) > 0x7f;
