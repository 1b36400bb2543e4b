/** Version 4 UUIDs (RFC 9562), each one flat string: `randomUUID` builds a tree of twenty pieces, which costs more to collect than to make. */
import { randomFillSync } from 'node:crypto';

const AT_ONCE = 128;
const random = Buffer.alloc(16 * AT_ONCE);
const text = Buffer.alloc(36, '-');
const DIGITS = Buffer.from('0123456789abcdef');
/** Where each byte's two digits stand between the dashes. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
let next = AT_ONCE;

export function uuid(): string {
	if (next === AT_ONCE) {
		randomFillSync(random);
		next = 0;
	}
	const from = 16 * next++;
	random[from + 6] = ((random[from + 6] as number) & 0x0f) | 0x40;
	random[from + 8] = ((random[from + 8] as number) & 0x3f) | 0x80;
	for (let i = 0; i < 16; i++) {
		const byte = random[from + i] as number;
		const at = PLACES[i] as number;
		text[at] = DIGITS[byte >> 4] as number;
		text[at + 1] = DIGITS[byte & 15] as number;
	}
	return text.toString('latin1');
}
