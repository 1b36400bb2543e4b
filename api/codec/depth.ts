/** How deep a document may nest: beyond any object that means something, and well within what a call stack holds. */

/** Whatever walks an object here calls itself once or twice a level. */
export const MAX_DEPTH = 500;

/** Where Go's JSON reader stops (encoding/json: maxNestingDepth): fields that nobody knows may nest so deep, since they are dropped. */
export const MAX_SENT_DEPTH = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What Go's reader says of JSON text that nests deeper than anything may; undefined for any other, valid or not. */
export function depthError(json: string, most = MAX_DEPTH): string | undefined {
	if (json.length <= most) return undefined;
	let depth = 0;
	for (let at = 0; at < json.length; at++) {
		const code = json.charCodeAt(at);
		if (code === QUOTE) at = endOfText(json, at);
		else if (code === OPEN_LIST || code === OPEN_OBJECT) {
			if (++depth > most) return `invalid character '${json.charAt(at)}' exceeded max depth`;
		} else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
	}
	return undefined;
}

/** Where the quote is that closes the one at `start`, or the end of it all: found by the platform's search, which looks at many characters at once. */
export function endOfText(json: string, start: number): number {
	for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
		let before = at - 1;
		while (json.charCodeAt(before) === BACKSLASH) before--;
		if ((at - before) % 2 === 1) return at;
	}
	return json.length;
}

/** Whether a value nests deeper than anything may. */
export function isValueTooDeep(value: unknown): boolean {
	return levelBelow(value).length > 0;
}

/** Empties what nests deeper than anything may, the outermost level of it aside: where that is kept, the value is still too deep. */
export function cutTooDeep(value: unknown): void {
	for (const one of levelBelow(value)) {
		if (Array.isArray(one)) one.length = 0;
		else for (const key of Object.keys(one)) delete (one as Record<string, unknown>)[key];
	}
}

/** The lists and objects of the first level that is too deep. */
function levelBelow(value: unknown): readonly object[] {
	let level = isContainer(value) ? [value] : [];
	for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
		const next: object[] = [];
		for (const one of level) for (const item of Object.values(one) as unknown[]) if (isContainer(item)) next.push(item);
		level = next;
	}
	return level;
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
