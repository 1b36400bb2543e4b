/** Typed gRPC clients from generated definitions: unary calls as promises, server streams as async iterables, errors as AppError. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { ChannelCredentials, Client, ClientDuplexStream, ClientReadableStream, ClientWritableStream } from '@grpc/grpc-js';
import { abortable } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { CHANNEL_OPTIONS, type CallOptions, type Calls, type FinishedCall, type Method, type ServiceDefinition } from './method.ts';
import { fromGrpc, fromGrpcInGo } from './status.ts';

export interface GrpcClientOptions {
	/** "unix:///run/x.sock", "/run/x.sock", or "host:port". */
	readonly address: string;
	/** For TCP: PEM of the server's CA and, where asked for, the client's certificate and key. */
	readonly tls?: { readonly caPem: string; readonly certPem?: string; readonly keyPem?: string };
	readonly clock: Clock;
	/** Told of every finished call with one answer. */
	readonly onCall?: (call: FinishedCall) => void;
	/** Failures read as Go's clients print them: "rpc error: code = NotFound desc = …" (RpcError). */
	readonly goErrors?: boolean;
}

export type GrpcClient<S extends ServiceDefinition> = Calls<S> & {
	close(): void;
	/** Resolves once there is a connection, however often it takes to try. */
	connected(signal: AbortSignal): Promise<void>;
};

/** Connects lazily, and again after the server was away. */
export async function grpcClient<S extends ServiceDefinition>(definition: S, options: GrpcClientOptions): Promise<GrpcClient<S>> {
	const { default: grpc } = await import('@grpc/grpc-js'); // CommonJS: named exports do not survive bundling
	const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
	const { tls } = options;
	const credentials: ChannelCredentials =
		tls === undefined ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(pem(tls.caPem), pem(tls.keyPem), pem(tls.certPem));
	const address = options.address.startsWith('/') ? `unix:${options.address}` : options.address;
	const client: Client = new grpc.Client(address, credentials, {
		'grpc.default_authority': 'localhost', // a raw path as authority is refused by strict HTTP/2 servers
		...CHANNEL_OPTIONS,
		'grpc.initial_reconnect_backoff_ms': 100,
		'grpc.max_reconnect_backoff_ms': 1000,
		'grpc.enable_retries': 0,
	});
	const failed = options.goErrors === true ? fromGrpcInGo : fromGrpc;
	const { clock, onCall } = options;
	const calls: Record<string, unknown> = {
		close: () => client.close(),
		connected: (signal: AbortSignal) => abortable(new Promise<void>((resolve) => client.waitForReady(Infinity, () => resolve())), signal),
	};
	for (const [name, method] of Object.entries(definition)) {
		const call = method.responseStream ? stream : method.requestStream ? clientStream : unary;
		calls[name] = (request: unknown, callOptions: CallOptions = {}) =>
			call(client, method, request, { ...callOptions, clock, onCall, failed });
	}
	return calls as GrpcClient<S>;
}

type Serialize = (value: unknown) => Buffer;
type Deserialize = (value: Buffer) => unknown;

interface Options extends CallOptions {
	readonly clock: Clock;
	readonly onCall: GrpcClientOptions['onCall'] | undefined;
	readonly failed: (error: Parameters<typeof fromGrpc>[0]) => AppError;
}

function deadline({ clock, timeoutMs }: Options): { readonly deadline?: number } {
	return timeoutMs === undefined ? {} : { deadline: clock.now() + timeoutMs };
}

function unary(client: Client, method: Method, request: unknown, options: Options): Promise<unknown> {
	const { signal, clock } = options;
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason as Error);
		const from = clock.monotonic();
		const finished = (code: string): void => options.onCall?.({ method: method.path, code, ms: clock.monotonic() - from });
		const onAbort = (): void => call.cancel();
		const call = client.makeUnaryRequest(
			method.path,
			method.requestSerialize as Serialize,
			method.responseDeserialize as Deserialize,
			request,
			deadline(options),
			(error, value) => {
				signal?.removeEventListener('abort', onAbort);
				const failure = error === null ? undefined : options.failed(error);
				finished(failure?.code ?? 'OK');
				if (failure === undefined) resolve(value);
				else reject(signal?.aborted ? (signal.reason as Error) : failure);
			},
		);
		signal?.addEventListener('abort', onAbort, { once: true });
	});
}

/** Many requests, one response. */
function clientStream(client: Client, method: Method, requests: unknown, options: Options): Promise<unknown> {
	const { signal } = options;
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason as Error);
		const stop = new AbortController();
		const onAbort = (): void => call.cancel();
		const call: ClientWritableStream<unknown> = client.makeClientStreamRequest(
			method.path,
			method.requestSerialize as Serialize,
			method.responseDeserialize as Deserialize,
			deadline(options),
			(error, value) => {
				stop.abort();
				signal?.removeEventListener('abort', onAbort);
				if (error === null) resolve(value);
				else reject(signal?.aborted ? (signal.reason as Error) : options.failed(error));
			},
		);
		signal?.addEventListener('abort', onAbort, { once: true });
		send(call, requests as AsyncIterable<unknown>, stop.signal).catch((error: unknown) => {
			reject(error as Error);
			call.cancel();
		});
	});
}

/** Server streams and, where the request is a stream too, both ways at once. Ends when the server ends it; stopping early cancels the call. */
async function* stream(client: Client, method: Method, request: unknown, options: Options): AsyncIterable<unknown> {
	const { signal } = options;
	if (signal?.aborted) throw signal.reason as Error;
	const codecs = [method.path, method.requestSerialize as Serialize, method.responseDeserialize as Deserialize] as const;
	const call: ClientReadableStream<unknown> | ClientDuplexStream<unknown, unknown> = method.requestStream
		? client.makeBidiStreamRequest(...codecs, deadline(options))
		: client.makeServerStreamRequest(...codecs, request, deadline(options));
	const stop = new AbortController();
	const onAbort = (): void => call.cancel();
	signal?.addEventListener('abort', onAbort, { once: true });
	let failure: unknown;
	if (method.requestStream)
		send(call as ClientDuplexStream<unknown, unknown>, request as AsyncIterable<unknown>, stop.signal).catch((error: unknown) => {
			failure = error;
			call.cancel();
		});
	try {
		for await (const item of call) yield item;
	} catch (error) {
		if (failure !== undefined) throw failure;
		if (signal?.aborted) throw signal.reason as Error;
		throw error instanceof AppError ? error : options.failed(error as { code?: number });
	} finally {
		stop.abort();
		signal?.removeEventListener('abort', onAbort);
		call.cancel();
	}
}

/** Writes requests as they come, as fast as the server takes them, until the call is over. */
async function send(call: Writable, requests: AsyncIterable<unknown>, over: AbortSignal): Promise<void> {
	for await (const item of requests) {
		if (over.aborted) return;
		if (!call.write(item)) await once(call, 'drain', { signal: over }).catch(() => undefined);
		if (over.aborted) return;
	}
	call.end();
}
