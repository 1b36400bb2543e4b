/** Escapes in URLs, as Go's net/url takes them. Pure. */

const BAD_ESCAPE = /%(?![\da-f]{2})/i;

export function hasBadEscape(text: string): boolean {
	return text.includes('%') && BAD_ESCAPE.test(text);
}

/** What was escaped as it is. Bytes that are no UTF-8 become replacement characters; what is no escape stays. */
export function unescaped(text: string): string {
	if (!text.includes('%')) return text;
	return text.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString());
}
