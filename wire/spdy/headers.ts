/** SPDY header blocks: names and values, compressed in one zlib stream a direction that lives as long as the connection. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { SPDY_DICTIONARY } from './dictionary.ts';

export type SpdyHeaders = Readonly<Record<string, string>>;

/** Compresses blocks one after the other. */
export class HeaderWriter {
	readonly #deflate: Deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
	readonly #chunks: Buffer[] = [];

	constructor() {
		this.#deflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
	}

	/** The block's bytes; calls must not overlap. */
	write(headers: SpdyHeaders): Promise<Buffer> {
		this.#deflate.write(encodeBlock(headers));
		return new Promise((resolve) => {
			this.#deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(Buffer.concat(this.#chunks.splice(0))));
		});
	}

	close(): void {
		this.#deflate.destroy();
	}
}

/** Decompresses blocks one after the other. */
export class HeaderReader {
	readonly #inflate: Inflate = createInflate({ dictionary: SPDY_DICTIONARY });
	readonly #chunks: Buffer[] = [];
	#failed: Error | undefined;

	constructor() {
		this.#inflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
		this.#inflate.on('error', (error) => (this.#failed = error));
	}

	/** The headers of one block; rejects when it is corrupt. Calls must not overlap. */
	read(block: Uint8Array): Promise<SpdyHeaders> {
		return new Promise((resolve, reject) => {
			this.#inflate.write(block, (error) => {
				const failure = error ?? this.#failed;
				if (failure) return reject(failure);
				this.#inflate.flush(constants.Z_SYNC_FLUSH, () => {
					try {
						resolve(decodeBlock(Buffer.concat(this.#chunks.splice(0))));
					} catch (problem) {
						reject(problem as Error);
					}
				});
			});
		});
	}

	close(): void {
		this.#inflate.destroy();
	}
}

/** Pure. */
function encodeBlock(headers: SpdyHeaders): Buffer {
	const parts: Buffer[] = [];
	const number = (n: number): void => {
		const out = Buffer.alloc(4);
		out.writeUInt32BE(n);
		parts.push(out);
	};
	const entries = Object.entries(headers);
	number(entries.length);
	for (const [name, value] of entries)
		for (const text of [name.toLowerCase(), value]) {
			const bytes = Buffer.from(text);
			number(bytes.length);
			parts.push(bytes);
		}
	return Buffer.concat(parts);
}

/** Pure; RangeError when the block is cut short. Several values of one name (joined by NUL) become a comma-separated one. */
function decodeBlock(block: Buffer): SpdyHeaders {
	let at = 0;
	const text = (): string => {
		const length = block.readUInt32BE(at);
		at += 4;
		if (at + length > block.length) throw new RangeError('header block cut short');
		at += length;
		return block.toString('utf8', at - length, at);
	};
	const count = block.readUInt32BE(0);
	at = 4;
	const headers: Record<string, string> = {};
	for (let i = 0; i < count; i++) {
		const name = text().toLowerCase();
		headers[name] = text().replaceAll('\0', ', ');
	}
	return headers;
}
