/** Requests of HTTP/2 and HTTP/1.1 as the pipeline sees them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Duplex, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { requestEntityTooLarge } from '../../../api/status.ts';
import type { AppError } from '../../../base/errors.ts';
import type { ApiRequest, Credentials, HeaderLines, UserInfo } from '../contracts.ts';
import { GONE, readAll } from '../request/read-all.ts';
import { NOBODY, peerOf, type Peer } from './peer.ts';
import { targetOf } from './request-target.ts';

/** What makes a small ASCII letter of a capital one. */
const LOWER_CASE = 0x20;

type Headers = Readonly<Record<string, string | undefined>>;

/** Upstream's limit of a request body. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const UNKNOWN: UserInfo = { name: '', uid: '', groups: [], extra: {} };
const NO_BODY = new Uint8Array();

export abstract class HttpRequest implements ApiRequest, HeaderLines {
	abstract readonly method: string;
	readonly path: string;
	readonly uri: string;
	readonly query: URLSearchParams;
	/** What it asks for is no URL. */
	readonly isBad: boolean;
	abstract readonly headers: Headers;
	readonly repeated: HeaderLines = this;
	readonly user = UNKNOWN;
	readonly warnings: string[] = [];
	readonly warn = (text: string): void => void this.warnings.push(text);
	#stop: AbortController | undefined;
	#lines: ReadonlyMap<string, readonly string[]> | undefined;
	#stopped: AppError | undefined;
	/** Of who reads the body. */
	#fail: ((why: Error) => void) | undefined;

	constructor(url: string) {
		({ path: this.path, query: this.query, uri: this.uri, isBad: this.isBad } = targetOf(url));
	}

	protected abstract readonly source: Readable;
	/** Names and values of headers by turns, as they came. */
	protected abstract readonly raw: readonly string[];
	protected abstract readonly peer: Peer;
	/** Aborts when the client goes away; has aborted where it is gone. */
	get signal(): AbortSignal {
		if (this.#stop === undefined) {
			const stop = new AbortController();
			this.#stop = stop;
			this.onGone((why) => stop.abort(why));
		}
		return this.#stop.signal;
	}
	/** Calls when the client goes away, at once where it is gone. */
	abstract onGone(fn: (why: AppError) => void): void;

	credentials(): Credentials {
		const { peer } = this;
		const { authorization } = this.headers;
		// One string for all requests of a connection: looking up a token hashes it once, not a kilobyte each time.
		if (peer.authorization !== authorization) peer.authorization = authorization;
		const { certificate: clientCertificate, intermediates } = peer;
		return { headers: this.headers, repeated: this, clientCertificate, intermediates, authorization: peer.authorization, path: this.path };
	}

	/** Node joins lines of one name by commas, which may be in the values as well. A megabyte holds a hundred thousand names, and each may be asked for. */
	lines(name: string): readonly string[] {
		this.#lines ??= linesIn(this.raw);
		return this.#lines.get(name) ?? [];
	}

	anyBeginning(prefix: string): boolean {
		const first = prefix.charCodeAt(0);
		for (let i = 0; i < this.raw.length; i += 2) {
			const name = this.raw[i] as string;
			if ((name.charCodeAt(0) | LOWER_CASE) === first && name.toLowerCase().startsWith(prefix)) return true;
		}
		return false;
	}

	get remoteAddress(): string {
		return this.peer.address;
	}

	body(limitBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
		const length = Number(this.headers['content-length'] ?? NaN);
		if (length > limitBytes) return Promise.reject(requestEntityTooLarge(limitBytes));
		if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
		const { source } = this;
		this.begin();
		// Most bodies have come with their headers.
		const begun = length > 0 && !source.destroyed ? (source.read() as Uint8Array | null) : null;
		if (begun?.length === length) return Promise.resolve(begun);
		return readAll(source, begun, limitBytes, (fn) => {
			this.#fail = fn;
			this.onClose(fn);
		});
	}
	stopReading(why: AppError): void {
		this.#stopped = why;
		this.#fail?.(why);
	}
	stream(): Readable | undefined {
		this.begin();
		return this.source;
	}
	/** Nobody reads the rest of its body. */
	get isStopped(): boolean {
		return this.#stopped !== undefined;
	}
	/** Called before the body is read. */
	protected begin(): void {}
	/** Calls when nothing comes from the source any more. */
	protected abstract onClose(fn: (why: Error) => void): void;
}

function linesIn(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
	const lines = new Map<string, string[]>();
	for (let i = 0; i + 1 < raw.length; i += 2) {
		const [name, value] = [(raw[i] as string).toLowerCase(), raw[i + 1] as string];
		const known = lines.get(name);
		if (known === undefined) lines.set(name, [value]);
		else known.push(value);
	}
	return lines;
}

export class Http2Request extends HttpRequest {
	readonly method: string;
	readonly headers: Headers;
	protected readonly raw: readonly string[];
	readonly #stream: ServerHttp2Stream;
	/** Told when the client goes away before its answer has been sent. */
	readonly #onGone: ((why: AppError) => void)[] = [];
	#isGone = false;
	/** The same for who reads the body, in whatever way the stream ends. */
	#onClose: ((why: AppError) => void) | undefined;

	constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) {
		super(String(headers[':path'] ?? '/'));
		this.method = String(headers[':method'] ?? 'GET');
		this.headers = headers as Headers;
		this.raw = raw;
		this.#stream = stream;
		stream.on('close', this.#closed);
		stream.on('end', destroyIfClosed);
		stream._destroy = destroyQuietly;
	}

	readonly #closed = (): void => {
		const stream = this.#stream;
		this.#onClose?.(GONE);
		this.#isGone = stream.aborted || stream.rstCode !== 0;
		if (this.#isGone) for (const fn of this.#onGone) fn(GONE);
		letGo(stream);
	};

	protected get source(): Readable {
		return this.#stream;
	}
	protected get peer(): Peer {
		const { session } = this.#stream;
		return session === undefined ? NOBODY : peerOf(session, () => session.socket as TLSSocket);
	}
	onGone(fn: (why: AppError) => void): void {
		if (this.#isGone) fn(GONE);
		else this.#onGone.push(fn);
	}
	override body(limitBytes?: number): Promise<Uint8Array> {
		return this.#stream.readableEnded || this.#stream.endAfterHeaders ? Promise.resolve(NO_BODY) : super.body(limitBytes);
	}
	override stream(): Readable | undefined {
		return this.#stream.endAfterHeaders ? undefined : super.stream();
	}
	protected onClose(fn: (why: AppError) => void): void {
		this.#onClose = fn;
	}
}

interface Taken {
	readonly socket: Duplex;
	readonly head: Uint8Array;
}

interface Http1Given {
	readonly response?: ServerResponse;
	readonly upgraded?: Taken;
	readonly isWaiting?: boolean;
}

export class Http1Request extends HttpRequest {
	readonly method: string;
	readonly headers: Headers;
	readonly upgrade?: () => Taken;
	readonly #incoming: IncomingMessage;
	readonly #response: ServerResponse | undefined;
	#isWaiting: boolean;
	#isTaken = false;

	/** With a response for plain requests, with `upgraded` for those that ask to take the socket. */
	constructor(incoming: IncomingMessage, { response, upgraded, isWaiting = false }: Http1Given) {
		super(incoming.url ?? '/');
		const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
		this.#isWaiting = isWaiting && (encoding !== undefined || Number(length) > 0);
		this.#response = response;
		this.method = incoming.method ?? 'GET';
		this.headers = incoming.headers as Headers;
		this.#incoming = incoming;
		if (upgraded === undefined) return;
		this.upgrade = () => {
			this.#isTaken = true;
			return upgraded;
		};
	}

	/** Whether the socket is a handler's own by now: nobody else writes to it. */
	get isTaken(): boolean {
		return this.#isTaken;
	}

	protected get source(): Readable {
		return this.#incoming;
	}
	protected get raw(): readonly string[] {
		return this.#incoming.rawHeaders;
	}
	/** The client sends its body once it is told to (`Expect: 100-continue`). */
	get isWaiting(): boolean {
		return this.#isWaiting;
	}
	override stream(): Readable | undefined {
		const { 'content-length': length, 'transfer-encoding': encoding } = this.headers;
		return length === undefined && encoding === undefined ? undefined : super.stream();
	}
	protected override begin(): void {
		if (!this.#isWaiting) return;
		this.#isWaiting = false;
		this.#response?.writeContinue();
	}
	protected onClose(fn: (why: Error) => void): void {
		// What breaks here is the connection, or what it says of itself.
		this.#incoming.on('error', () => fn(GONE));
		this.#incoming.on('close', () => fn(GONE));
	}
	protected get peer(): Peer {
		const { socket } = this.#incoming;
		return peerOf(socket, () => socket as TLSSocket);
	}
	onGone(fn: (why: AppError) => void): void {
		// A kept-alive socket outlives many requests: only one that was upgraded is this request's own.
		const response = this.#response;
		const closing = response ?? this.#incoming.socket;
		const told = (): void => {
			if (response?.writableFinished !== true) fn(GONE);
		};
		if (closing.closed) told();
		else closing.once('close', told);
	}
}

const ignored = (): void => {};

/** Where a client takes no more and says that nothing was wrong (RST_STREAM, NO_ERROR), Node.js waits until all that was written is sent: for ever. */
function destroyIfClosed(this: ServerHttp2Stream): void {
	if (this.closed) this.destroy();
}

/**
 * In Node.js 24 a Writable lives from its birth on until the old generation is looked through, however soon it has ended. What listens to it, here
 * a whole request, would live as long and be moved there with it. Listeners go at once where nobody hears of it.
 */
function letGo(stream: ServerHttp2Stream): void {
	stream.removeAllListeners('removeListener').removeAllListeners().on('error', ignored);
}

/**
 * A stream that has ended on both sides is destroyed before Node.js hears that its last bytes were written. It then makes an error for those who
 * wait for its end, whether anybody does or not (errorBuffer in its lib/internal/streams/writable.js), but none where there is one already.
 */
function destroyQuietly(this: ServerHttp2Stream, error: Error | null, done: (error?: Error | null) => void): void {
	const { _writableState: state } = this as { readonly _writableState?: { errored: unknown } };
	if (state !== undefined) state.errored ??= GONE;
	const { _destroy } = Object.getPrototypeOf(this) as ServerHttp2Stream;
	_destroy.call(this, error, done);
}
