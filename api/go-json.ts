/** JSON text as Go's encoder writes it: what browsers or JavaScript might take for more than text is escaped. */

const ESCAPED = /[<>&\u2028\u2029]/;
const ALL_ESCAPED = new RegExp(ESCAPED, 'g');

export function goJson(value: unknown): string {
	return goEscaped(JSON.stringify(value));
}

/** The same of text that is JSON already. */
export function goEscaped(json: string): string {
	return ESCAPED.test(json) ? json.replaceAll(ALL_ESCAPED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : json;
}
