/** One HTTP/2 connection to an API server: requests as streams, and a ping that finds out when the peer is gone. */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { flatten, warningsOf, type SentHeaders } from './response-headers.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** client-go's ReadIdleTimeout and PingTimeout. */
const PING_EVERY_MS = 30_000;
const PING_TIMEOUT_MS = 15_000;
/** Bodies under way count against it, and Node.js refuses every stream beyond its 10 MB: a few large creates at once would break the connection. */
const SESSION_MEMORY_MB = 1024;
/** Receive windows: large lists must not wait for window updates. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;
/** What a peer allows that does not say. */
const DEFAULT_MAX_STREAMS = 100;

/** The request was not processed and may be sent again, whatever its method. */
export class NotProcessedError extends AppError {
	constructor(message: string, options?: ErrorOptions) {
		super('Unavailable', message, options);
	}
}

/** An API server sends up to 4 KiB of warnings, a header each. Node.js takes 128 headers unless told. */
const MAX_HEADERS = 4096;

export class Http2Session {
	readonly #session: ClientHttp2Session;
	readonly #clock: Clock;
	readonly #host: string;
	#streams = 0;
	#draining = false;
	#timer: Disposable | undefined;

	/** @param onClose called once, when no new requests may be made */
	constructor(socket: Socket, origin: string, clock: Clock, onClose: () => void) {
		this.#clock = clock;
		this.#host = new URL(origin).host;
		this.#session = connect(origin, {
			createConnection: () => socket,
			settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
			maxSessionMemory: SESSION_MEMORY_MB,
			maxHeaderListPairs: MAX_HEADERS,
		});
		const retire = (): void => {
			if (this.#draining) return;
			this.#draining = true;
			onClose();
			this.#closeWhenIdle();
		};
		this.#session.once('connect', () => this.#session.setLocalWindowSize(CONNECTION_WINDOW));
		this.#session.on('goaway', retire);
		this.#session.on('close', () => {
			this.#timer?.[Symbol.dispose]();
			retire();
		});
		// Its streams report what went wrong.
		this.#session.on('error', retire);
		this.#session.once('remoteSettings', () => this.#streams === 0 && this.#session.unref());
		this.#schedulePing();
	}

	/** Resolves once the peer has said how many streams it takes (or has gone): requests before that might wait behind watches for ever. */
	greeted(): Promise<void> {
		return new Promise((resolve) => {
			this.#session.once('remoteSettings', () => resolve());
			this.#session.once('close', () => resolve());
		});
	}

	get usable(): boolean {
		return !this.#draining && !this.#session.closed && !this.#session.destroyed;
	}

	/** False while the peer would make another stream wait. */
	get hasRoom(): boolean {
		return this.#streams === 0 || this.#streams < (this.#session.remoteSettings?.maxConcurrentStreams ?? DEFAULT_MAX_STREAMS);
	}

	request(request: TransportRequest, headers: SentHeaders, signal: AbortSignal): Promise<TransportResponse> {
		return new Promise((resolve, reject) => {
			let stream: ClientHttp2Stream;
			const hasBody = request.body !== undefined;
			try {
				stream = this.#session.request({ ':method': request.method, ':path': request.path, ...headers }, { endStream: !hasBody });
			} catch (cause) {
				return reject(new NotProcessedError(`The connection to ${this.#host} is closed: ${messageOf(cause)}`, { cause }));
			}
			this.#streams++;
			this.#session.ref();
			let failure: Error | undefined;
			const onAbort = (): void => {
				failure = signal.reason as Error;
				stream.close(constants.NGHTTP2_CANCEL);
			};
			if (signal.aborted) onAbort();
			else signal.addEventListener('abort', onAbort, { once: true });
			stream.on('error', (error) => (failure ??= this.#explain(stream, error)));
			stream.once('close', () => {
				this.#streams--;
				if (this.#streams === 0 && !this.#session.destroyed) this.#session.unref();
				signal.removeEventListener('abort', onAbort);
				reject(failure ?? this.#explain(stream, undefined));
				this.#closeWhenIdle();
			});
			stream.once('response', (answer, _flags, rawHeaders?: unknown) => {
				resolve(toResponse(stream, answer, Array.isArray(rawHeaders) ? (rawHeaders as string[]) : [], () => failure));
			});
			if (hasBody) stream.end(request.body);
		});
	}

	/** Takes no new requests; closes once those under way have ended. */
	drain(): void {
		this.#draining = true;
		this.#closeWhenIdle();
	}

	destroy(): void {
		this.#draining = true;
		this.#timer?.[Symbol.dispose]();
		this.#session.destroy();
	}

	#closeWhenIdle(): void {
		if (!this.#draining || this.#streams > 0 || this.#session.destroyed) return;
		this.#timer?.[Symbol.dispose]();
		this.#session.destroy();
	}

	#explain(stream: ClientHttp2Stream, cause: unknown): Error {
		const code = (cause as NodeJS.ErrnoException | undefined)?.code;
		const message = `The connection to ${this.#host} broke: ${cause === undefined ? 'closed by the server' : messageOf(cause)}`;
		const unprocessed =
			stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || code === 'ERR_HTTP2_GOAWAY_SESSION' || code === 'ERR_HTTP2_INVALID_SESSION';
		return unprocessed ? new NotProcessedError(message, { cause }) : new AppError('Unavailable', message, { cause });
	}

	#schedulePing(): void {
		this.#timer = this.#clock.after(PING_EVERY_MS, () => {
			if (this.#session.destroyed) return;
			const late = this.#clock.after(PING_TIMEOUT_MS, () =>
				this.#session.destroy(new AppError('Unavailable', `${this.#host} does not answer pings`)),
			);
			this.#timer = late;
			try {
				this.#session.ping((error) => {
					late[Symbol.dispose]();
					if (error === null && !this.#session.destroyed) this.#schedulePing();
				});
			} catch {
				late[Symbol.dispose]();
			}
		});
	}
}

function toResponse(
	stream: ClientHttp2Stream,
	headers: IncomingHttpHeaders,
	_raw: readonly string[],
	failure: () => Error | undefined,
): TransportResponse {
	return {
		status: Number(headers[':status']),
		headers: flatten(headers),
		warnings: warningsOf(headers['warning']),
		body: bodyOf(stream, stream.session, expectedLength(stream, headers), failure),
	};
}

async function* bodyOf(
	stream: ClientHttp2Stream,
	session: ClientHttp2Stream['session'],
	length: number | undefined,
	failure: () => Error | undefined,
): AsyncGenerator<Uint8Array, void> {
	let ended = false;
	let received = 0;
	try {
		for await (const chunk of stream) {
			received += (chunk as Buffer).length;
			yield chunk as Buffer;
		}
		ended = true;
	} catch (cause) {
		// Node.js may find a stream closed before it has told the reader of its end ("Premature close").
		if (failure() !== undefined || !stream.readableEnded) throw failure() ?? brokenOff(messageOf(cause));
		ended = true;
	} finally {
		if (!ended) stream.close(constants.NGHTTP2_CANCEL);
	}
	const broken = failure();
	if (broken !== undefined) throw broken;
	// A peer that dies without a word of the protocol looks like the end of the stream.
	if (length === undefined ? session?.destroyed === true : received < length) throw brokenOff('the connection was closed');
}

function expectedLength(stream: ClientHttp2Stream, headers: IncomingHttpHeaders): number | undefined {
	const length = headers['content-length'];
	return length === undefined || stream.sentHeaders?.[':method'] === 'HEAD' ? undefined : Number(length);
}

function brokenOff(why: string): AppError {
	return new AppError('Unavailable', `The answer broke off: ${why}`);
}
