/** The engine's multiplexed stream: frames of an 8-byte header (stream, 3 zeros, length) and payload. */

export type StreamName = 'stdout' | 'stderr';

/** Takes chunks as they come and calls `onData` with each payload piece, not waiting for whole frames. */
export class Demultiplexer {
	readonly #onData: (stream: StreamName, data: Buffer) => void;
	#header = Buffer.alloc(0);
	#left = 0;
	#stream: StreamName = 'stdout';

	constructor(onData: (stream: StreamName, data: Buffer) => void) {
		this.#onData = onData;
	}

	write(chunk: Buffer): void {
		let at = 0;
		while (at < chunk.length) {
			if (this.#left === 0) {
				const need = 8 - this.#header.length;
				const part = chunk.subarray(at, at + need);
				const header = this.#header.length === 0 ? part : Buffer.concat([this.#header, part]);
				at += part.length;
				if (header.length < 8) {
					this.#header = Buffer.from(header);
					return;
				}
				this.#header = Buffer.alloc(0);
				this.#stream = header[0] === 2 ? 'stderr' : 'stdout';
				this.#left = header.readUInt32BE(4);
				continue;
			}
			const data = chunk.subarray(at, at + this.#left);
			at += data.length;
			this.#left -= data.length;
			this.#onData(this.#stream, data);
		}
	}
}
