const MAX_EXCERPT = 30;

/** The first bytes of a body, as error messages quote them: JSON as text, all else as hex. */
export function excerpt(bytes: Buffer): string {
	if (bytes.length === 0) return '<empty>';
	const text = bytes.subarray(0, MAX_EXCERPT).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
	return bytes.length > MAX_EXCERPT ? `${text} ...` : text;
}
