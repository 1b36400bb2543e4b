/** What tokens look like, and which are remembered. Pure. */

/** Longer ones are looked at anew each time: who holds a good one may not fill the memory with what means the same. */
const MAX_KEPT_LENGTH = 8192;

/** Of a token, or of the header that carried it. */
export function mayKeep(text: string): boolean {
	return text.length <= MAX_KEPT_LENGTH;
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
/** Go's decoder of the claims passes over ends of lines, nothing else. */
const CLAIMS = /^[\w\r\n-]+$/;
const SPACES = /[\t\n\f\r ]+/g;

/** The one writing of a signed token (RFC 7515); undefined for what is none. Spaces inside of it are passed over, as by go-jose, padding is not. */
export function compactOf(token: string): string | undefined {
	if (COMPACT.test(token)) return token;
	if (!CLAIMS.test(token.split('.', 2)[1] ?? '')) return undefined;
	const stripped = token.replace(SPACES, '');
	return COMPACT.test(stripped) ? stripped : undefined;
}
