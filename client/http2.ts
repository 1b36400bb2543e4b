/** The Transport over the network: HTTP/2 where the server speaks it, else HTTP/1.1; certificates, tokens; connections made anew as needed. */
import type { Duplex } from 'node:stream';
import { AppError } from '../base/errors.ts';
import { abortable } from '../base/abort.ts';
import { dial, type DialOptions } from './dial.ts';
import { Http1Connections, upgradeOn } from './http1.ts';
import { Http2Session, NotProcessedError } from './http2-session.ts';
import type { SentHeaders } from './response-headers.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface TransportOptions extends DialOptions {
	/** The bearer token; asked for every request, so that it may change. */
	readonly token?: () => string | undefined | Promise<string | undefined>;
	/** Sent with every request, e.g. impersonation. */
	readonly headers?: SentHeaders;
}

/** How often a request that the server did not process is sent again. */
const MAX_RESENDS = 3;

/** A transport to one API server. Nothing is connected before the first request. */
export function createTransport(options: TransportOptions): HttpTransport {
	return new HttpTransport(options);
}

export class HttpTransport implements Transport {
	readonly #options: TransportOptions;
	readonly #url: URL;
	readonly #prefix: string;
	readonly #closed = new AbortController();
	readonly #http1: Http1Connections;
	#sessions: Http2Session[] = [];
	#opening: Promise<Http2Session | undefined> | undefined;
	/** How often `renew` was called: a connection opened before does not count. */
	#renewals = 0;
	/** Set once the server chose HTTP/1.1. */
	#speaksHttp1: boolean;

	constructor(options: TransportOptions) {
		this.#options = options;
		this.#url = new URL(options.server);
		this.#prefix = this.#url.pathname.replace(/\/$/, '');
		this.#speaksHttp1 = this.#url.protocol === 'http:';
		this.#http1 = new Http1Connections(this.#url, async (signal) => (await dial(options, ['http/1.1'], signal)).socket);
	}

	async request(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
		const headers = await this.#headers(request);
		const sent: TransportRequest = { ...request, path: this.#prefix + request.path };
		for (let resends = 0; ; ) {
			signal.throwIfAborted();
			const session = await this.#session(signal);
			if (session === undefined) return await this.#http1.request(sent, headers, signal);
			if (!session.hasRoom) continue; // others took it meanwhile
			try {
				return await session.request(sent, headers, signal);
			} catch (error) {
				// A connection found broken says nothing of the server: reading again on a new one is safe.
				const again = error instanceof NotProcessedError || (request.method === 'GET' && !session.usable && !signal.aborted);
				if (!again || ++resends > MAX_RESENDS) throw error;
			}
		}
	}

	async upgrade(
		request: TransportRequest,
		signal: AbortSignal,
	): Promise<{ readonly socket: Duplex; readonly head: Uint8Array; readonly headers: Readonly<Record<string, string>> }> {
		const headers = await this.#headers(request);
		const { socket } = await dial(this.#options, ['http/1.1'], signal);
		return await upgradeOn(socket, this.#url, { ...request, path: this.#prefix + request.path }, headers, signal);
	}

	/** New requests use new connections, with certificates read anew; those under way go on. */
	renew(): void {
		this.#renewals++;
		for (const session of this.#sessions.splice(0)) session.drain();
	}

	close(): Promise<void> {
		this.#closed.abort(new AppError('Canceled', 'The transport is closed'));
		for (const session of this.#sessions.splice(0)) session.destroy();
		this.#http1.close();
		return Promise.resolve();
	}

	async #headers(request: TransportRequest): Promise<SentHeaders> {
		const token = await this.#options.token?.();
		return { ...this.#options.headers, ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
	}

	/** A session with room, opened if need be; undefined where the server speaks HTTP/1.1 only. */
	async #session(signal: AbortSignal): Promise<Http2Session | undefined> {
		for (;;) {
			this.#closed.signal.throwIfAborted();
			if (this.#speaksHttp1) return undefined;
			const open = this.#sessions.find((session) => session.usable && session.hasRoom);
			if (open !== undefined) return open;
			this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
			const opened = await abortable(this.#opening, signal);
			if (opened === undefined || opened.usable) return opened;
		}
	}

	async #open(): Promise<Http2Session | undefined> {
		const renewals = this.#renewals;
		const { socket, protocol } = await dial(this.#options, ['h2', 'http/1.1'], this.#closed.signal);
		if (protocol === 'http/1.1') {
			socket.destroy();
			this.#speaksHttp1 = true;
			return undefined;
		}
		const session: Http2Session = new Http2Session(socket, this.#url.origin, this.#options.clock, () => {
			this.#sessions = this.#sessions.filter((s) => s !== session);
		});
		await session.greeted();
		if (this.#closed.signal.aborted) session.destroy();
		this.#closed.signal.throwIfAborted();
		if (renewals !== this.#renewals) session.drain();
		if (session.usable) this.#sessions.push(session);
		return session;
	}
}
