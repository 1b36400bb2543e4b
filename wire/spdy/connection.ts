/**
 * A SPDY/3.1 connection over any byte stream: many streams both ways with headers and half-close. Per-stream flow control is left to the byte
 * stream below: Go's client (spdystream) neither sends nor heeds WINDOW_UPDATE or SETTINGS, so waiting for them would stall.
 */
import { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { HeaderReader, HeaderWriter, type SpdyHeaders } from './headers.ts';

const TYPE = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const;
const FLAG_FIN = 1;
const VERSION = 3;
/** RST_STREAM status CANCEL. */
const CANCEL = 5;
/** A stream's data goes out in frames of at most this. */
const MAX_FRAME = 32 * 1024;

export interface SpdyOptions {
	/** A server's own streams have even numbers, a client's odd ones. */
	readonly side: 'server' | 'client';
	/** Called for each stream the peer opens, after its SYN_REPLY went out. */
	readonly onStream?: (stream: SpdyStream) => void;
}

/** One stream; reading ends at the peer's FIN, `end()` sends ours. */
export class SpdyStream extends Duplex {
	readonly id: number;
	readonly headers: SpdyHeaders;
	readonly #connection: SpdyConnection;
	#resume: (() => void) | undefined;
	#ended = false;

	constructor(connection: SpdyConnection, id: number, headers: SpdyHeaders) {
		super({ allowHalfOpen: true, emitClose: true });
		this.#connection = connection;
		this.id = id;
		this.headers = headers;
	}

	override _read(): void {
		this.#resume?.();
		this.#resume = undefined;
	}

	override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
		this.#connection.sendData(this.id, chunk, false).then(() => done(), done);
	}

	override _final(done: (error?: Error | null) => void): void {
		this.#connection.sendData(this.id, Buffer.alloc(0), true).then(() => done(), done);
	}

	override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
		this.#resume?.();
		this.#connection.forget(this.id, !(this.#ended && this.writableFinished));
		done(error);
	}

	/** Data from the peer; resolves when more may come. */
	async receive(data: Buffer, fin: boolean): Promise<void> {
		if (this.destroyed || this.#ended) return;
		if (data.length > 0 && !this.push(data)) await new Promise<void>((resolve) => (this.#resume = resolve));
		if (fin && !this.#ended) {
			this.#ended = true;
			this.push(null);
		}
	}

	/** The peer gave the stream up. */
	reset(): void {
		if (!this.#ended) {
			this.#ended = true;
			this.push(null);
		}
		this.destroy();
	}
}

export class SpdyConnection {
	readonly #socket: Duplex;
	readonly #options: SpdyOptions;
	readonly #writer = new HeaderWriter();
	readonly #reader = new HeaderReader();
	readonly #streams = new Map<number, SpdyStream>();
	readonly #closed = Promise.withResolvers<void>();
	#nextId: number;
	#sending: Promise<unknown> = Promise.resolve();

	constructor(socket: Duplex, head: Uint8Array, options: SpdyOptions) {
		this.#socket = socket;
		this.#options = options;
		this.#nextId = options.side === 'client' ? 1 : 2;
		socket.on('error', () => {});
		this.#run(head).then(
			() => this.#end(),
			() => this.#end(),
		);
	}

	/** Resolves when the connection is over. */
	get closed(): Promise<void> {
		return this.#closed.promise;
	}

	/** Opens a stream; it may be written to at once. */
	async open(headers: SpdyHeaders): Promise<SpdyStream> {
		const id = this.#nextId;
		this.#nextId += 2;
		const stream = new SpdyStream(this, id, headers);
		this.#streams.set(id, stream);
		await this.#queue(async () => {
			const block = await this.#writer.write(headers);
			const body = Buffer.alloc(10);
			body.writeUInt32BE(id, 0);
			await this.#write(control(TYPE.synStream, 0, Buffer.concat([body, block])));
		});
		return stream;
	}

	/** Ends everything. */
	close(): void {
		this.#socket.destroy();
	}

	/** Lets what was written go out, then ends the connection. */
	async finish(): Promise<void> {
		await this.#sending.catch(() => {});
		this.#socket.end();
	}

	/** Used by streams. */
	async sendData(id: number, data: Buffer, fin: boolean): Promise<void> {
		for (let at = 0; at === 0 || at < data.length; at += MAX_FRAME) {
			const piece = data.subarray(at, at + MAX_FRAME);
			const head = Buffer.alloc(8);
			head.writeUInt32BE(id, 0);
			head.writeUInt32BE(piece.length, 4);
			head[4] = fin && at + MAX_FRAME >= data.length ? FLAG_FIN : 0;
			await this.#queue(() => this.#write(piece.length === 0 ? head : Buffer.concat([head, piece])));
		}
	}

	/** Used by streams. */
	forget(id: number, reset: boolean): void {
		if (!this.#streams.delete(id) || !reset || this.#socket.destroyed || this.#socket.writableEnded) return;
		const body = Buffer.alloc(8);
		body.writeUInt32BE(id, 0);
		body.writeUInt32BE(CANCEL, 4);
		this.#queue(() => this.#write(control(TYPE.rstStream, 0, body))).catch(() => {});
	}

	/** One frame after the other: header compression has an order, and a frame is whole. */
	#queue(work: () => Promise<void>): Promise<void> {
		const next = this.#sending.then(work, work);
		this.#sending = next.catch(() => {});
		return next;
	}

	#write(bytes: Buffer): Promise<void> {
		const socket = this.#socket;
		if (socket.destroyed || socket.writableEnded) return Promise.reject(new AppError('Unavailable', 'The connection is closed'));
		return new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
	}

	async #run(head: Uint8Array): Promise<void> {
		let buffer = Buffer.from(head);
		buffer = await this.#take(buffer);
		for await (const chunk of this.#socket)
			buffer = await this.#take(buffer.length === 0 ? (chunk as Buffer) : Buffer.concat([buffer, chunk as Buffer]));
	}

	/** Handles the whole frames in the buffer and returns the rest. */
	async #take(buffer: Buffer): Promise<Buffer<ArrayBuffer>> {
		let at = 0;
		while (buffer.length - at >= 8) {
			const length = buffer.readUInt32BE(at + 4) & 0xffffff;
			if (buffer.length - at < 8 + length) break;
			const first = buffer.readUInt32BE(at);
			const flags = buffer[at + 4] ?? 0;
			const body = buffer.subarray(at + 8, at + 8 + length);
			at += 8 + length;
			if (first >>> 31 === 0) await this.#streams.get(first)?.receive(Buffer.from(body), (flags & FLAG_FIN) !== 0);
			else await this.#control(first & 0xffff, flags, body);
		}
		return Buffer.from(buffer.subarray(at));
	}

	async #control(type: number, flags: number, body: Buffer): Promise<void> {
		switch (type) {
			case TYPE.synStream:
				return this.#opened(body.readUInt32BE(0) & 0x7fffffff, flags, await this.#reader.read(body.subarray(10)));
			case TYPE.synReply:
			case TYPE.headers:
				await this.#reader.read(body.subarray(4));
				if ((flags & FLAG_FIN) !== 0) await this.#streams.get(body.readUInt32BE(0) & 0x7fffffff)?.receive(Buffer.alloc(0), true);
				return;
			case TYPE.rstStream:
				return this.#streams.get(body.readUInt32BE(0) & 0x7fffffff)?.reset();
			case TYPE.ping: {
				const ours = body.readUInt32BE(0) % 2 === (this.#options.side === 'client' ? 1 : 0);
				if (!ours) this.#queue(() => this.#write(control(TYPE.ping, 0, body))).catch(() => {});
				return;
			}
			default: // SETTINGS, GOAWAY, WINDOW_UPDATE ask for nothing
		}
	}

	async #opened(id: number, flags: number, headers: SpdyHeaders): Promise<void> {
		const stream = new SpdyStream(this, id, headers);
		stream.on('error', () => {});
		this.#streams.set(id, stream);
		await this.#queue(async () => {
			const block = await this.#writer.write({});
			const number = Buffer.alloc(4);
			number.writeUInt32BE(id);
			await this.#write(control(TYPE.synReply, 0, Buffer.concat([number, block])));
		});
		if ((flags & FLAG_FIN) !== 0) await stream.receive(Buffer.alloc(0), true);
		this.#options.onStream?.(stream);
	}

	#end(): void {
		for (const stream of this.#streams.values()) stream.reset();
		this.#streams.clear();
		this.#socket.destroy();
		this.#writer.close();
		this.#reader.close();
		this.#closed.resolve();
	}
}

function control(type: number, flags: number, body: Buffer): Buffer {
	const head = Buffer.alloc(8);
	head.writeUInt16BE(0x8000 | VERSION, 0);
	head.writeUInt16BE(type, 2);
	head.writeUInt32BE(body.length, 4);
	head[4] = flags;
	return Buffer.concat([head, body]);
}
