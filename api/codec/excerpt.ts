/** The beginning of a body, as error messages quote it. */
const MAX_EXCERPT_BYTES = 30;

/** JSON as text, all else as hex. */
export function excerpt(bytes: Buffer): string {
	if (bytes.length === 0) return '<empty>';
	const text = bytes.subarray(0, MAX_EXCERPT_BYTES).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
	return bytes.length > MAX_EXCERPT_BYTES ? `${text} ...` : text;
}
