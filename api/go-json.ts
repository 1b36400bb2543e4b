/** JSON text as Go's encoder writes it: what browsers or JavaScript might take for more than text is escaped. */

const ESCAPED = /[<>&\u2028\u2029]/g;

export function goJson(value: unknown): string {
	return JSON.stringify(value).replaceAll(ESCAPED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
