/** One call of a client: its stream, and what ends it: the server's status, its deadline, its caller, or the connection. */
import { constants, type ClientHttp2Stream } from 'node:http2';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Connection } from './connection.ts';
import { ACCEPTED_ENCODINGS, Frames, unexpectedEnd } from './frame.ts';
import { isGrpc, timeoutHeader } from './http2.ts';
import type { CallObserver, CallOptions, FinishedCall, Method } from './method.ts';
import { NotConnected, Session } from './session.ts';
import { late, lost, ofHttp, ofReset, readStatus, type Status } from './status.ts';

/** What a method is called with. */
export interface Given {
	readonly connection: Connection;
	readonly method: Method;
	readonly clock: Clock;
	readonly maxAnswerBytes: number | undefined;
	readonly onCall: ((call: FinishedCall) => void) | undefined;
	readonly observe: ((method: string) => CallObserver) | undefined;
	/** A failure as the caller is told of it. */
	readonly failed: (failure: AppError) => AppError;
}

export class ClientCall {
	readonly observer: CallObserver | undefined;
	readonly #given: Given;
	readonly #options: CallOptions;
	readonly #changed: () => void;
	readonly #timer: Disposable | undefined;
	#session: Session | undefined;
	#stream: ClientHttp2Stream | undefined;
	#frames: Frames | undefined;
	#encoding: unknown;
	/** What comes is a page, or whatever else. */
	#isOther = false;
	#status: Status | undefined;
	/** The deadline's word or the caller's. */
	#reason: Error | undefined;

	/** `changed` is called once the server told its status, and where the deadline or the caller ends it. */
	constructor(given: Given, options: CallOptions, changed: () => void) {
		this.#given = given;
		this.#options = options;
		this.#changed = changed;
		this.observer = given.observe?.(given.method.path);
		const { signal, timeoutMs } = options;
		if (timeoutMs !== undefined) this.#timer = given.clock.after(timeoutMs, () => this.#stop(given.failed(late())));
		signal?.addEventListener('abort', this.#onAbort, { once: true });
	}

	/** Undefined while it goes on. */
	get outcome(): 'ok' | 'failed' | undefined {
		if (this.#reason !== undefined || this.#status instanceof AppError) return 'failed';
		return this.#status;
	}

	/** Calls `use` with the stream once there is one, and `failed` where there can be none. Neither where the call is over before. */
	open(use: (stream: ClientHttp2Stream) => void, failed: (error: unknown) => void): void {
		const begin = (session: Session): void => {
			if (this.#reason === undefined) use(this.#request(session));
		};
		const session = this.#given.connection.session();
		if (session instanceof Session) begin(session);
		else session.then(begin).catch(failed);
	}

	/** What came ends in the middle of a message. */
	get isPartial(): boolean {
		return this.#frames?.isPartial === true;
	}

	/** The whole messages of what came. @throws AppError */
	messages(piece: Buffer): readonly Buffer[] {
		if (this.#isOther) return [];
		const whole = (this.#frames ??= new Frames(this.#encoding, this.#given.maxAnswerBytes)).push(piece);
		if (this.observer !== undefined) for (const message of whole) this.observer.message('RECEIVED', message.length);
		return whole;
	}

	/** Why the call failed, of what was thrown and what is known otherwise: of a stream that is closed, or of none. */
	failure(thrown?: unknown): Error {
		if (this.#reason !== undefined) return this.#reason;
		return this.#given.failed(this.#whatFailed(thrown));
	}

	/** Nothing of it stays. What the server still does is cancelled. */
	end(): void {
		this.#timer?.[Symbol.dispose]();
		this.#options.signal?.removeEventListener('abort', this.#onAbort);
		const stream = this.#stream;
		if (stream === undefined) return;
		if (this.#status === undefined || !stream.writableEnded) stream.close(constants.NGHTTP2_CANCEL);
		stream.resume(); // what nobody reads any more would keep it, and its connection
	}

	#whatFailed(thrown: unknown): AppError {
		if (thrown instanceof AppError) return thrown;
		if (this.#status instanceof AppError) return this.#status;
		const stream = this.#stream;
		if (stream === undefined || this.#session?.isLost !== false) return lost(stream?.errored ?? thrown);
		if (this.#status === 'ok' && this.isPartial) return unexpectedEnd();
		if (this.#status === 'ok')
			return new AppError('Internal', 'cardinality violation: received no response message from non-server-streaming RPC');
		const { code, message } = ofReset(stream.rstCode ?? 0);
		return stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? new NotConnected(message) : new AppError(code, message);
	}

	readonly #onAbort = (): void => this.#stop(this.#options.signal?.reason as Error);

	#stop(reason: Error): void {
		this.#reason = reason;
		this.end();
		this.#changed();
	}

	#request(session: Session): ClientHttp2Stream {
		const { connection, method } = this.#given;
		const { timeoutMs } = this.#options;
		const stream = session.request([
			...[':method', 'POST', ':scheme', connection.scheme, ':authority', connection.authority, ':path', method.path],
			...HEADERS,
			...(timeoutMs === undefined ? [] : ['grpc-timeout', timeoutHeader(timeoutMs)]),
			...(this.observer?.headers ?? []),
		]);
		this.#session = session;
		this.#stream = stream;
		stream.on('error', () => {}); // its close tells
		stream.on('response', (headers) => {
			this.#isOther = !isGrpc(headers) || headers[':status'] !== 200;
			this.#status = readStatus(headers) ?? (this.#isOther ? ofHttp(headers) : undefined);
			if (this.#isOther) stream.close(constants.NGHTTP2_CANCEL);
			this.#encoding = headers['grpc-encoding'];
			if (this.#status !== undefined) this.#changed();
		});
		stream.on('trailers', (trailers) => {
			this.#status ??= readStatus(trailers);
			this.#changed();
		});
		return stream;
	}
}

const HEADERS = [
	'te',
	'trailers',
	'content-type',
	'application/grpc',
	'user-agent',
	'grpc-node-kubeling/1',
	'grpc-accept-encoding',
	ACCEPTED_ENCODINGS,
];
