/** The kinds of calls: one request or many, one answer or many. */
import { once } from 'node:events';
import type { ClientHttp2Stream } from 'node:http2';
import { AppError, messageOf } from '../../base/errors.ts';
import { ClientCall, type Given } from './client-call.ts';
import { framed, PREFIX_BYTES } from './frame.ts';
import type { CallObserver, CallOptions, Method } from './method.ts';

/** Writes requests, and tells of each frame; where they come from may fail. */
type Write = (stream: ClientHttp2Stream, failed: (error: unknown) => void, observer: CallObserver | undefined) => void;

/** One request, one answer. */
export async function unary(given: Given, request: unknown, options: CallOptions): Promise<unknown> {
	return answered(given, options, one(given.method, request));
}

/** Many requests, one answer. */
export async function clientStream(given: Given, requests: unknown, options: CallOptions): Promise<unknown> {
	return answered(given, options, many(given.method, requests as AsyncIterable<unknown>));
}

/** Many answers; of many requests, both at once. Ends when the server ends it; stopping early cancels the call. */
export async function* stream(given: Given, request: unknown, options: CallOptions): AsyncIterable<unknown> {
	options.signal?.throwIfAborted();
	const { method } = given;
	const write = method.requestStream ? many(method, request as AsyncIterable<unknown>) : one(method, request);
	const opened = Promise.withResolvers<ClientHttp2Stream>();
	let broken: { readonly error: unknown } | undefined;
	let failure: unknown = new AppError('Canceled', 'context canceled');
	const call = new ClientCall(given, options, () => opened.reject(call.failure()));
	try {
		call.open((made) => {
			opened.resolve(made);
			const fail = (error: unknown): void => {
				broken ??= { error };
				call.end();
			};
			write(made, fail, call.observer);
		}, opened.reject);
		const stream = await opened.promise;
		options.opened?.();
		const closed = new Promise<void>((resolve) => stream.once('close', resolve));
		for await (const piece of stream.iterator({ destroyOnReturn: false }))
			for (const message of call.messages(piece as Buffer)) yield decoded(method, message);
		if (call.outcome === undefined) await closed;
		if (call.outcome !== 'ok' || call.isPartial) throw call.failure();
		failure = undefined;
	} catch (error) {
		failure = broken === undefined ? call.failure(error) : broken.error;
		throw failure;
	} finally {
		call.end();
		call.observer?.ended(failure);
	}
}

function answered(given: Given, options: CallOptions, write: Write): Promise<unknown> {
	options.signal?.throwIfAborted();
	const { method, clock, onCall } = given;
	const from = clock.monotonic();
	const { promise, resolve, reject } = Promise.withResolvers<unknown>();
	let answer: { readonly value: unknown } | undefined;
	let over = false;
	const end = (failure: unknown): void => {
		if (over) return;
		over = true;
		call.end();
		call.observer?.ended(failure);
		const code = failure === undefined ? 'OK' : failure instanceof AppError ? failure.code : 'Canceled';
		onCall?.({ method: method.path, code, ms: clock.monotonic() - from });
		if (failure === undefined) resolve(answer?.value);
		else reject(failure as Error);
	};
	const call = new ClientCall(given, options, () => {
		if (call.outcome === 'failed') end(call.failure());
		else if (answer !== undefined) end(undefined);
	});
	call.open(
		(stream) => {
			stream.on('data', (piece: Buffer) => {
				try {
					for (const message of call.messages(piece)) answer ??= { value: decoded(method, message) };
				} catch (error) {
					end(call.failure(error));
				}
			});
			stream.on('close', () => end(call.outcome === 'ok' && answer !== undefined ? undefined : call.failure()));
			write(stream, end, call.observer);
		},
		(error) => end(call.failure(error)),
	);
	return promise;
}

function one(method: Method, request: unknown): Write {
	const frame = framed(method.requestSerialize(request as never));
	return (stream, _failed, observer) => {
		stream.end(frame);
		observer?.message('SENT', frame.length - PREFIX_BYTES);
	};
}

/** As fast as the server takes them, until the call is over. */
function many(method: Method, requests: AsyncIterable<unknown>): Write {
	return (stream, failed, observer) => {
		const over = new AbortController();
		stream.once('close', () => over.abort());
		const send = async (): Promise<void> => {
			for await (const request of requests) {
				if (over.signal.aborted) return;
				const frame = framed(method.requestSerialize(request as never));
				observer?.message('SENT', frame.length - PREFIX_BYTES);
				if (!stream.write(frame)) await once(stream, 'drain', { signal: over.signal }).catch(() => undefined);
				if (over.signal.aborted) return;
			}
			stream.end();
		};
		send().catch(failed);
	};
}

function decoded(method: Method, message: Buffer): unknown {
	try {
		return method.responseDeserialize(message);
	} catch (error) {
		throw new AppError('Internal', `grpc: failed to unmarshal the received message: ${messageOf(error)}`, { cause: error });
	}
}
