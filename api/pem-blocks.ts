/** The blocks of a PEM text, as Go's encoding/pem finds them. Pure. */

export interface PemBlock {
	/** "CERTIFICATE", "PRIVATE KEY", … */
	readonly type: string;
	readonly hasHeaders: boolean;
	readonly der: Buffer;
}

const BLOCK = /^-----BEGIN ([^\n]*?)-----\s*?\n([^-]*)-----END \1-----/gm;
const HEADERS = /^[^\n:]+:[^\n]*\n/gm;

/** Whole blocks; what is between them, and what only looks like one, is passed over. */
export function pemBlocks(pem: Buffer): readonly PemBlock[] {
	return [...pem.toString('latin1').matchAll(BLOCK)].map(([, type = '', body = '']) => {
		const plain = body.replace(HEADERS, '');
		return { type, hasHeaders: plain !== body, der: Buffer.from(plain, 'base64') };
	});
}

/** Whether anything but the end of its line follows the last block. */
export function hasTrailer(pem: Buffer): boolean {
	const text = pem.toString('latin1');
	const last = [...text.matchAll(BLOCK)].at(-1);
	return text.slice(last === undefined ? 0 : last.index + last[0].length).replace(/^[ \t\r]*\n?/, '') !== '';
}
