/** One stream of a SPDY connection; reading ends at the peer's FIN, `end()` sends ours. */
import { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import type { SpdyHeaders } from './headers.ts';

/**
 * Held for a reader that is slow before the whole connection waits for it. Peers that heed no window (Go's) can only be slowed all at once,
 * so this is how far one stalled stream may fall behind before it holds up the others.
 */
const READ_AHEAD_BYTES = 1024 * 1024;

/** What a stream asks of its connection. */
export interface SpdyCarrier {
	sendData(id: number, data: Uint8Array, fin: boolean): Promise<void>;
	/** The stream is over; with `reset` the peer does not know yet. */
	forget(id: number, reset: boolean): void;
}

export class SpdyStream extends Duplex {
	readonly id: number;
	readonly headers: SpdyHeaders;
	readonly #carrier: SpdyCarrier;
	#wake: (() => void) | undefined;
	/** Nothing more comes from the peer. */
	#ended = false;
	#isReset = false;
	#isCut = false;

	constructor(carrier: SpdyCarrier, id: number, headers: SpdyHeaders) {
		super({ allowHalfOpen: true, readableHighWaterMark: READ_AHEAD_BYTES });
		this.#carrier = carrier;
		this.id = id;
		this.headers = headers;
		this.on('error', () => {}); // a connection that broke is no reason to end the process; readers and writers see it all the same
	}

	override _read(): void {
		this.#wake?.();
		this.#wake = undefined;
	}

	override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
		this.#carrier.sendData(this.id, chunk, false).then(() => done(), done);
	}

	override _final(done: (error?: Error | null) => void): void {
		this.#carrier.sendData(this.id, new Uint8Array(), true).then(() => done(), done);
	}

	override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
		this._read();
		this.#carrier.forget(this.id, !this.#isReset && !(this.#ended && this.writableFinished));
		done(error);
	}

	/** Data from the peer; resolves when more may come. */
	async receive(data: Uint8Array, fin: boolean): Promise<void> {
		if (this.destroyed || this.#ended) return;
		if (data.length > 0 && !this.push(data)) await new Promise<void>((resolve) => (this.#wake = resolve));
		if (this.destroyed || !fin) return;
		this.#ended = true;
		this.push(null);
	}

	/** The peer gave the stream up, which is how Go's end those they have written to the end: what came can still be read, and is all. */
	reset(): void {
		this.#isReset = true;
		if (!this.destroyed && !this.#ended) {
			this.#ended = true;
			this.push(null);
		}
		this.lose();
	}

	/** The connection is gone. What came can still be read. */
	lose(): void {
		this._read();
		const cut = this.#ended ? undefined : new AppError('Unavailable', 'The stream was cut off');
		if (cut !== undefined && this.readableLength > 0) {
			this.#isCut = this.#ended = true;
			this.push(null);
		}
		if (this.readableEnded || this.readableLength === 0) this.destroy(cut);
		else this.once('end', () => this.destroy(cut));
	}

	/** It ended without the peer's word. */
	get isCut(): boolean {
		return this.#isCut;
	}
}
