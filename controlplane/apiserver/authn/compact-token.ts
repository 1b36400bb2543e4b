/** What tokens look like, and which are remembered. Pure. */

/** Longer ones are looked at anew each time: who holds a good one may not fill the memory with what means the same. */
const MAX_KEPT_LENGTH = 8192;

/** Of a token, or of the header that carried it. */
export function mayKeep(text: string): boolean {
	return text.length <= MAX_KEPT_LENGTH;
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** As RFC 7515 writes a signed token; decoders pass over spaces and padding, of which there may be any number. */
export function isCompact(token: string): boolean {
	return COMPACT.test(token);
}
