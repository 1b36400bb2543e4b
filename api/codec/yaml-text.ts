/** The bytes of a YAML document as text: UTF-8, and nothing that only looks like it. Pure. */
import { isUtf8 } from 'node:buffer';
import { AppError } from '../../base/errors.ts';

/** AppError InvalidArgument in the words of Go's reader. */
export function yamlText(bytes: Uint8Array): string {
	if (!isUtf8(bytes)) throw new AppError('InvalidArgument', `yaml: ${faultIn(bytes)}`);
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** The least that a sequence of so many bytes may stand for. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000];

function faultIn(bytes: Uint8Array): string {
	for (let at = 0; at < bytes.length; ) {
		const lead = bytes[at] as number;
		const width = widthOf(lead);
		if (width === 0) return 'invalid leading UTF-8 octet';
		if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence';
		let code = width === 1 ? lead : lead & (0xff >> (width + 1));
		for (const octet of bytes.subarray(at + 1, at + width)) {
			if ((octet & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet';
			code = (code << 6) | (octet & 0x3f);
		}
		if (code < (LEAST[width] as number)) return 'invalid length of a UTF-8 sequence';
		if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return 'invalid Unicode character';
		at += width;
	}
	return 'control characters are not allowed';
}

/** Of a sequence that begins so; 0: none does. */
function widthOf(lead: number): number {
	if (lead < 0x80) return 1;
	if ((lead & 0xe0) === 0xc0) return 2;
	if ((lead & 0xf0) === 0xe0) return 3;
	return (lead & 0xf8) === 0xf0 ? 4 : 0;
}
