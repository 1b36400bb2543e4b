/** How deep a document may nest: beyond any object that means something, and well within what a call stack holds. */

/** Go's JSON reader stops at 10,000; whatever walks an object here calls itself once or twice a level. */
export const MAX_DEPTH = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What Go's reader says of JSON text that nests deeper than anything may; undefined for any other, valid or not. */
export function depthError(json: string): string | undefined {
	if (json.length <= MAX_DEPTH) return undefined;
	let depth = 0;
	for (let at = 0; at < json.length; at++) {
		const code = json.charCodeAt(at);
		if (code === QUOTE) at = endOfText(json, at);
		else if (code === OPEN_LIST || code === OPEN_OBJECT) {
			if (++depth > MAX_DEPTH) return `invalid character '${json.charAt(at)}' exceeded max depth`;
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
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_DEPTH) return true;
		const next: unknown[] = [];
		for (const one of level) if (typeof one === 'object' && one !== null) for (const item of Object.values(one)) next.push(item);
		level = next;
	}
	return false;
}
