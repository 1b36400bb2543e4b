/** The frames of SPDY/3.1 (draft-mbelshe-httpbis-spdy-00, section 2.2). Pure. */

export const TYPE = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const;
const FLAG_FIN = 1;
/** RST_STREAM status CANCEL. */
export const CANCEL = 5;
const VERSION = 3;
const HEAD_BYTES = 8;

export type Frame =
	| { readonly kind: 'data'; readonly id: number; readonly fin: boolean; readonly body: Buffer }
	| { readonly kind: 'control'; readonly type: number; readonly fin: boolean; readonly body: Buffer };

/** The whole frames at the start of the buffer, and what is left. The bodies are views of the buffer. */
export function readFrames(buffer: Buffer): { readonly frames: readonly Frame[]; readonly rest: Buffer } {
	const frames: Frame[] = [];
	let at = 0;
	while (buffer.length - at >= HEAD_BYTES) {
		const length = buffer.readUInt32BE(at + 4) & 0xffffff;
		if (buffer.length - at < HEAD_BYTES + length) break;
		const first = buffer.readUInt32BE(at);
		const fin = ((buffer[at + 4] ?? 0) & FLAG_FIN) !== 0;
		const body = buffer.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
		frames.push(first >>> 31 === 0 ? { kind: 'data', id: first, fin, body } : { kind: 'control', type: first & 0xffff, fin, body });
		at += HEAD_BYTES + length;
	}
	return { frames, rest: buffer.subarray(at) };
}

export function controlFrame(type: number, body: Uint8Array): Buffer {
	const frame = Buffer.alloc(HEAD_BYTES + body.length);
	frame.writeUInt16BE(0x8000 | VERSION, 0);
	frame.writeUInt16BE(type, 2);
	frame.writeUInt32BE(body.length, 4);
	frame.set(body, HEAD_BYTES);
	return frame;
}

export function dataFrame(id: number, body: Uint8Array, fin: boolean): Buffer {
	const frame = Buffer.allocUnsafe(HEAD_BYTES + body.length);
	frame.writeUInt32BE(id, 0);
	frame.writeUInt32BE(body.length, 4);
	frame[4] = fin ? FLAG_FIN : 0;
	frame.set(body, HEAD_BYTES);
	return frame;
}

/** Bodies of control frames are 32-bit numbers, but for header blocks. */
export function numbers(...values: readonly number[]): Buffer {
	const out = Buffer.alloc(4 * values.length);
	for (const [i, value] of values.entries()) out.writeUInt32BE(value, 4 * i);
	return out;
}
