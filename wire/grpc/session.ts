/** One connection of a client, as long as it lasts: kept from keeping the process alive but during calls, and asked during those whether it is still there. */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';

/** No server can have seen the call, or none that did anything about it. */
export class NotConnected extends AppError {
	constructor(message: string, options?: ErrorOptions) {
		super('Unavailable', message, options);
	}
}

/** A peer that is silently gone, with its machine or the way to it, ends no connection: pings find out. Not every server likes them. */
export interface Keepalive {
	/** During calls, so often. */
	readonly afterMs: number;
	/** For the answer. */
	readonly timeoutMs: number;
}

/** HTTP/2 numbers the streams of a connection to 2^31; the last ones are left to calls that come at once. */
const LAST_STREAM = 2 ** 31 - 2 ** 16;

export class Session {
	readonly #http2: ClientHttp2Session;
	readonly #socket: Socket;
	readonly #clock: Clock;
	readonly #keepalive: Keepalive | undefined;
	#ping: Disposable | undefined;
	#calls = 0;
	#isFull = false;

	constructor(http2: ClientHttp2Session, socket: Socket, clock: Clock, keepalive: Keepalive | undefined) {
		this.#http2 = http2;
		this.#socket = socket;
		this.#clock = clock;
		this.#keepalive = keepalive;
		http2.on('error', () => {}); // its streams tell
		http2.unref();
	}

	/** The connection is gone: what ended its streams was its own end. */
	get isLost(): boolean {
		return this.#socket.destroyed || this.#http2.destroyed;
	}
	get isUsable(): boolean {
		return !this.isLost && !this.#http2.closed && !this.#isFull;
	}

	/** @throws AppError where it was lost meanwhile */
	request(headers: readonly string[]): ClientHttp2Stream {
		if (!this.isUsable) throw new NotConnected('connection error: desc = "transport: the connection was lost"');
		const stream = this.#http2.request(headers as string[]);
		this.#isFull ||= (stream.id ?? 0) > LAST_STREAM;
		if (this.#calls++ === 0) this.#busy();
		stream.once('close', () => {
			if (--this.#calls === 0) this.#idle();
		});
		return stream;
	}

	/** Once the calls under way are over. */
	close(): void {
		this.#http2.close();
	}

	#busy(): void {
		this.#http2.ref();
		if (this.#keepalive !== undefined) this.#pingLater(this.#keepalive);
	}

	#idle(): void {
		this.#ping?.[Symbol.dispose]();
		this.#ping = undefined;
		if (this.#isFull) this.close();
		if (!this.#http2.destroyed) this.#http2.unref();
	}

	#pingLater(keepalive: Keepalive): void {
		this.#ping = this.#clock.after(keepalive.afterMs, () => {
			if (this.#http2.destroyed) return;
			const silent = new AppError('Unavailable', 'keepalive ping failed to receive ACK within timeout');
			const timeout = this.#clock.after(keepalive.timeoutMs, () => this.#http2.destroy(silent));
			this.#ping = timeout;
			this.#http2.ping(() => {
				if (this.#ping !== timeout) return; // nobody asks any more
				timeout[Symbol.dispose]();
				this.#pingLater(keepalive);
			});
		});
	}
}
