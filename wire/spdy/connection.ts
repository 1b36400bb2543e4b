/**
 * A SPDY/3.1 connection over any byte stream: many streams both ways with headers and half-close. Go's peers (spdystream) neither send nor
 * heed WINDOW_UPDATE or SETTINGS, so waiting for a window would stall: what is sent waits for the byte stream below only. Clients that do keep to
 * windows get theirs opened as their data is taken.
 */
import type { Duplex } from 'node:stream';
import { CANCEL, controlFrame, dataFrame, numbers, readFrames, TYPE, type Frame } from './frames.ts';
import { HeaderReader, HeaderWriter, type SpdyHeaders } from './headers.ts';
import { received } from './received.ts';
import { Sender } from './sender.ts';
import { SpdyStream, type SpdyCarrier } from './stream.ts';

export type { SpdyStream } from './stream.ts';

/** A stream's data goes out in frames of at most this. */
const MAX_FRAME_BYTES = 32 * 1024;
/** Windows start at 64 KiB (section 2.6.8) and are opened again after half of that. */
const CREDIT_BYTES = 32 * 1024;
/** WINDOW_UPDATE for the connection as a whole. */
const CONNECTION = 0;

export interface SpdyOptions {
	/** A server's own streams have even numbers, a client's odd ones. */
	readonly side: 'server' | 'client';
	/** Called for each stream the peer opens, after its SYN_REPLY went out. */
	readonly onStream?: (stream: SpdyStream) => void;
}

export class SpdyConnection {
	readonly #socket: Duplex;
	readonly #sender: Sender;
	readonly #options: SpdyOptions;
	readonly #writer = new HeaderWriter();
	readonly #reader = new HeaderReader();
	readonly #streams = new Map<number, SpdyStream>();
	/** Bytes taken and not yet given back as window. */
	readonly #taken = new Map<number, number>();
	readonly #closed = Promise.withResolvers<void>();
	readonly #carrier: SpdyCarrier;
	#nextId: number;
	#nextPing: number;
	#sending: Promise<unknown> = Promise.resolve();
	#finishing = false;
	/** Data waits for its reader. */
	#isStalled = false;

	constructor(socket: Duplex, head: Uint8Array, options: SpdyOptions) {
		this.#socket = socket;
		this.#sender = new Sender(socket);
		this.#options = options;
		this.#nextId = this.#nextPing = options.side === 'client' ? 1 : 2;
		this.#carrier = { sendData: (id, data, fin) => this.#sendData(id, data, fin), forget: (id, reset) => this.#forget(id, reset) };
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
		const stream = new SpdyStream(this.#carrier, id, headers);
		this.#streams.set(id, stream);
		await this.#queue(async () => {
			const block = await this.#writer.write(headers);
			await this.#sender.send(controlFrame(TYPE.synStream, Buffer.concat([numbers(id, 0), Buffer.alloc(2), block])));
		});
		return stream;
	}

	/** Says that somebody is there; nobody waits for the answer. The peer may be gone whose words were not read yet: then there is no need. */
	ping(): void {
		if (this.#isStalled) return;
		this.#tell(TYPE.ping, numbers(this.#nextPing));
		this.#nextPing += 2;
	}

	/** Ends everything. */
	close(): void {
		this.#socket.destroy();
	}

	/** Lets what was written go out, then ends the connection; what the peer still sends is dropped. */
	async finish(): Promise<void> {
		this.#finishing = true;
		for (const stream of this.#streams.values()) stream._read(); // one that nobody reads must not hide the peer's end
		await this.#sending.catch(() => {});
		this.#socket.end();
	}

	async #sendData(id: number, data: Uint8Array, fin: boolean): Promise<void> {
		for (let at = 0; at === 0 || at < data.length; at += MAX_FRAME_BYTES) {
			const frame = dataFrame(id, data.subarray(at, at + MAX_FRAME_BYTES), fin && at + MAX_FRAME_BYTES >= data.length);
			await this.#queue(() => this.#sender.send(frame));
		}
	}

	#forget(id: number, reset: boolean): void {
		this.#taken.delete(id);
		if (this.#streams.delete(id) && reset) this.#tell(TYPE.rstStream, numbers(id, CANCEL));
	}

	/** Sends a control frame that nobody waits for. */
	#tell(type: number, body: Buffer): void {
		if (this.#sender.isOpen) this.#queue(() => this.#sender.send(controlFrame(type, body))).catch(() => {});
	}

	/** One frame after the other: header compression has an order, and a frame is whole. */
	#queue(work: () => Promise<void>): Promise<void> {
		const next = this.#sending.then(work, work);
		this.#sending = next.catch(() => {});
		return next;
	}

	async #run(head: Uint8Array): Promise<void> {
		let buffer = await this.#take(Buffer.from(head));
		for await (const chunk of received(this.#socket))
			buffer = await this.#take(buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]));
	}

	/** Handles the whole frames in the buffer and returns the rest. */
	async #take(buffer: Buffer): Promise<Buffer> {
		const { frames, rest } = readFrames(buffer);
		for (const frame of frames) await (frame.kind === 'data' ? this.#data(frame) : this.#control(frame));
		return rest;
	}

	async #data({ id, fin, body }: Extract<Frame, { kind: 'data' }>): Promise<void> {
		this.#isStalled = true;
		if (!this.#finishing) await this.#streams.get(id)?.receive(body, fin);
		this.#isStalled = false;
		// Servers are Go's, and may be gone: who writes to them loses what they said last.
		if (this.#options.side === 'client') return;
		this.#credit(CONNECTION, body.length);
		if (!fin && this.#streams.has(id)) this.#credit(id, body.length);
	}

	#credit(id: number, bytes: number): void {
		const taken = (this.#taken.get(id) ?? 0) + bytes;
		this.#taken.set(id, taken < CREDIT_BYTES ? taken : 0);
		if (taken >= CREDIT_BYTES) this.#tell(TYPE.windowUpdate, numbers(id, taken));
	}

	async #control({ type, fin, body }: Extract<Frame, { kind: 'control' }>): Promise<void> {
		const id = body.readUInt32BE(0) & 0x7fffffff;
		switch (type) {
			case TYPE.synStream:
				return this.#opened(id, fin, await this.#reader.read(body.subarray(10)));
			case TYPE.synReply:
			case TYPE.headers:
				await this.#reader.read(body.subarray(4));
				if (fin) await this.#streams.get(id)?.receive(new Uint8Array(), true);
				return;
			case TYPE.rstStream:
				return this.#streams.get(id)?.reset();
			case TYPE.ping: {
				const ours = id % 2 === (this.#options.side === 'client' ? 1 : 0);
				if (!ours) this.#tell(TYPE.ping, Buffer.from(body));
				return;
			}
			default: // SETTINGS, GOAWAY, WINDOW_UPDATE ask for nothing
		}
	}

	async #opened(id: number, fin: boolean, headers: SpdyHeaders): Promise<void> {
		const stream = new SpdyStream(this.#carrier, id, headers);
		this.#streams.set(id, stream);
		await this.#queue(async () => {
			const block = await this.#writer.write({});
			await this.#sender.send(controlFrame(TYPE.synReply, Buffer.concat([numbers(id), block])));
		});
		if (fin) await stream.receive(new Uint8Array(), true);
		this.#options.onStream?.(stream);
	}

	#end(): void {
		const streams = [...this.#streams.values()];
		this.#streams.clear();
		this.#socket.destroy();
		for (const stream of streams) stream.lose();
		this.#writer.close();
		this.#reader.close();
		this.#closed.resolve();
	}
}
