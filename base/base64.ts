/** Base64 as Go's StdEncoding takes it, line breaks aside. */

/** A single class before the padding: a pattern of groups of four runs out of stack over some megabytes. */
const FORM = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whole groups of four, the last one padded. The empty text is one, of no bytes. */
export function isBase64(text: string): boolean {
	return text.length % 4 === 0 && FORM.test(text);
}
