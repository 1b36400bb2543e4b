/** One call of a server: its request, its handler, and the one status that ends it. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { ACCEPTED_ENCODINGS, framed, Frames, unexpectedEnd } from './frame.ts';
import { readTimeout } from './http2.ts';
import type { CallContext, FinishedCall, Method } from './method.ts';
import { late, statusHeaders } from './status.ts';

/** A method and who answers it. */
export interface Bound {
	readonly method: Method;
	readonly handler: (request: unknown, context: CallContext) => Promise<unknown> | AsyncIterable<unknown>;
}

export interface Told {
	readonly clock: Clock;
	readonly log: Log;
	/** Told of every finished call. */
	readonly onCall?: (call: FinishedCall) => void;
}

const ANSWER = { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': ACCEPTED_ENCODINGS };
const THEN_STATUS = { waitForTrailers: true };
const OK = { 'grpc-status': '0' };

/** Ends the stream of a call that nobody answered yet with a failure. */
export function refuse(stream: ServerHttp2Stream, error: unknown): void {
	stream.resume(); // what still comes of the request is nobody's
	if (!stream.destroyed && !stream.closed) stream.respond({ ...ANSWER, ...statusHeaders(error) }, { endStream: true });
}

export class ServerCall {
	readonly #stream: ServerHttp2Stream;
	readonly #bound: Bound;
	readonly #told: Told;
	readonly #fromMs: number;
	readonly #controller = new AbortController();
	readonly #frames: Frames;
	readonly #deadline: Disposable | undefined;
	#over = false;

	/** @throws AppError for a request of an encoding that is not known */
	constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, bound: Bound, told: Told) {
		this.#stream = stream;
		this.#bound = bound;
		this.#told = told;
		this.#fromMs = told.clock.monotonic();
		this.#frames = new Frames(headers['grpc-encoding']);
		const timeoutMs = readTimeout(headers['grpc-timeout']);
		if (timeoutMs !== undefined) this.#deadline = told.clock.after(timeoutMs, () => this.abort(late()));
		stream.once('aborted', () => this.abort(cancelled())); // its close may wait for somebody to read
		stream.once('close', () => {
			this.#deadline?.[Symbol.dispose]();
			this.abort(cancelled());
		});
	}

	/** Tells the handler to end; not where it did. */
	abort(reason: AppError): void {
		if (!this.#over) this.#controller.abort(reason);
	}

	/** Reads what is asked and has it answered. A request that comes alone is answered before its stream has ended. */
	run(): void {
		const stream = this.#stream;
		if (this.#bound.method.requestStream) return this.#begin(this.#requests());
		let begun = false;
		stream.on('data', (piece: Buffer) => {
			if (begun) return;
			try {
				for (const message of this.#frames.push(piece).slice(0, 1)) {
					begun = true;
					this.#begin(this.#decoded(message));
				}
			} catch (error) {
				begun = true;
				this.#fail(error);
			}
		});
		stream.once('end', () => {
			if (!begun)
				this.#fail(
					this.#frames.isPartial
						? unexpectedEnd()
						: new AppError('Internal', 'cardinality violation: received no request message from non-client-streaming RPC'),
				);
		});
	}

	/** A handler that was told to end ends for that reason, whatever it makes of it. */
	#begin(request: unknown): void {
		const { signal } = this.#controller;
		this.#answer(request).catch((error: unknown) => this.#fail(signal.aborted ? signal.reason : error));
	}

	async #answer(request: unknown): Promise<void> {
		const { method, handler } = this.#bound;
		const answer = handler(request, { signal: this.#controller.signal });
		if (!method.responseStream) return this.#end(framed(method.responseSerialize((await answer) as never)));
		const { signal } = this.#controller;
		for await (const item of answer as AsyncIterable<unknown>) {
			if (signal.aborted) break;
			await this.#write(framed(method.responseSerialize(item as never)));
		}
		signal.throwIfAborted(); // what was told to end is no whole answer
		this.#end(undefined);
	}

	async *#requests(): AsyncIterable<unknown> {
		try {
			for await (const piece of this.#stream.iterator({ destroyOnReturn: false }))
				for (const message of this.#frames.push(piece as Buffer)) yield this.#decoded(message);
		} catch (error) {
			throw error instanceof AppError ? error : cancelled();
		}
		this.#controller.signal.throwIfAborted(); // a request that was cancelled looks as if it had ended
		if (this.#frames.isPartial) throw unexpectedEnd();
	}

	#decoded(message: Buffer): unknown {
		try {
			return this.#bound.method.requestDeserialize(message);
		} catch (error) {
			throw new AppError('Internal', `grpc: error unmarshalling request: ${messageOf(error)}`, { cause: error });
		}
	}

	/** Resolves when more may be written, or nobody reads any more. */
	async #write(frame: Buffer): Promise<void> {
		const stream = this.#stream;
		if (!this.#isOpen()) return;
		if (!stream.headersSent) stream.respond(ANSWER, THEN_STATUS);
		if (stream.write(frame)) return;
		await new Promise<void>((resolve) => {
			const done = (): void => {
				stream.off('drain', done).off('close', done);
				this.#controller.signal.removeEventListener('abort', done);
				resolve();
			};
			stream.once('drain', done).once('close', done);
			this.#controller.signal.addEventListener('abort', done, { once: true });
		});
	}

	/** With the answer, where there is one left to write. */
	#end(frame: Buffer | undefined): void {
		this.#finished('OK');
		const stream = this.#stream;
		stream.resume(); // what still comes of the request is nobody's
		if (!this.#isOpen()) return;
		if (!stream.headersSent) stream.respond(ANSWER, THEN_STATUS);
		stream.once('wantTrailers', () => stream.sendTrailers(OK));
		stream.end(frame);
	}

	#fail(error: unknown): void {
		const code = codeOf(error);
		this.#finished(code);
		if (code === 'Unknown' || code === 'Internal') this.#told.log.error('gRPC call failed', { method: this.#bound.method.path, error });
		const stream = this.#stream;
		if (!stream.headersSent) return refuse(stream, error);
		stream.resume();
		if (!this.#isOpen()) return;
		stream.once('wantTrailers', () => stream.sendTrailers(statusHeaders(error)));
		stream.end();
	}

	#finished(code: string): void {
		if (this.#over) return;
		this.#over = true;
		this.#deadline?.[Symbol.dispose]();
		const { clock, onCall } = this.#told;
		onCall?.({ method: this.#bound.method.path, code, ms: clock.monotonic() - this.#fromMs });
	}

	#isOpen(): boolean {
		return !this.#stream.destroyed && !this.#stream.closed;
	}
}

function cancelled(): AppError {
	return new AppError('Canceled', 'The client cancelled the call');
}
