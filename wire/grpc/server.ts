/** gRPC servers on unix sockets and TCP, with one interceptor: errors become status, cancels become signals, calls are measured. */
import { chmod, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type {
	handleBidiStreamingCall,
	Server,
	ServerDuplexStream,
	ServerUnaryCall,
	ServiceDefinition as GrpcDefinition,
	UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CHANNEL_OPTIONS, type FinishedCall, type Handlers, type Method, type ServiceDefinition } from './method.ts';
import { toGrpc } from './status.ts';

export interface GrpcServerOptions {
	/** "unix:///run/x.sock", "/run/x.sock", or "tcp://127.0.0.1:0". */
	readonly address: string;
	/** For TCP: PEM of certificate, key and, to require client certificates, their CA. */
	readonly tls?: { readonly certPem: string; readonly keyPem: string; readonly clientCaPem?: string };
	readonly clock: Clock;
	readonly log: Log;
	/** Told of every finished call. */
	readonly onCall?: (call: FinishedCall) => void;
}

/** A service definition and its handlers. Make it with `service()`, which checks that they fit. */
export interface BoundService {
	readonly definition: ServiceDefinition;
	readonly handlers: Readonly<Record<string, unknown>>;
}

export function service<S extends ServiceDefinition>(definition: S, handlers: Handlers<S>): BoundService {
	return { definition, handlers };
}

export interface GrpcServer {
	/** The TCP port; 0 for a unix socket. */
	readonly port: number;
	/** Ends calls under way with Unavailable, and removes the socket file. */
	stop(): Promise<void>;
}

/** Serves until stopped. AppError AlreadyExists when another process answers on the socket; a stale socket file is replaced. */
export async function serveGrpc(services: readonly BoundService[], options: GrpcServerOptions): Promise<GrpcServer> {
	const { default: grpc } = await import('@grpc/grpc-js'); // CommonJS: named exports do not survive bundling
	const server: Server = new grpc.Server(CHANNEL_OPTIONS);
	const stopping = new AbortController();
	for (const { definition, handlers } of services)
		server.addService(definition as unknown as GrpcDefinition, implementation(definition, handlers, options, stopping.signal));
	const path = socketPath(options.address);
	if (path !== undefined) await clearStale(path);
	const credentials =
		options.tls === undefined
			? grpc.ServerCredentials.createInsecure()
			: grpc.ServerCredentials.createSsl(
					options.tls.clientCaPem === undefined ? null : Buffer.from(options.tls.clientCaPem),
					[{ cert_chain: Buffer.from(options.tls.certPem), private_key: Buffer.from(options.tls.keyPem) }],
					options.tls.clientCaPem !== undefined,
				);
	const port = await new Promise<number>((resolve, reject) => {
		server.bindAsync(path === undefined ? options.address.replace(/^tcp:\/\//, '') : `unix:${path}`, credentials, (error, bound) =>
			error === null ? resolve(bound) : reject(error),
		);
	});
	if (path !== undefined) await chmod(path, 0o600);
	return {
		port: path === undefined ? port : 0,
		async stop() {
			stopping.abort(new AppError('Unavailable', 'The server is stopping'));
			await new Promise<void>((resolve) => {
				const force = options.clock.after(1000, () => server.forceShutdown());
				server.tryShutdown(() => {
					force[Symbol.dispose]();
					resolve();
				});
			});
			if (path !== undefined) await rm(path, { force: true });
		},
	};
}

function socketPath(address: string): string | undefined {
	if (address.startsWith('/')) return address;
	return address.startsWith('unix:') ? address.replace(/^unix:(\/\/)?/, '') : undefined;
}

/** Removes a socket file nobody listens on. */
async function clearStale(path: string): Promise<void> {
	const alive = await new Promise<boolean>((resolve) => {
		const socket = connect(path);
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => resolve(false));
	});
	if (alive) throw new AppError('AlreadyExists', `Another process serves on "${path}"`);
	await rm(path, { force: true });
}

type AnyHandler = (request: unknown, context: { readonly signal: AbortSignal }) => Promise<unknown> | AsyncIterable<unknown>;

function implementation(
	definition: ServiceDefinition,
	handlers: Readonly<Record<string, unknown>>,
	options: GrpcServerOptions,
	stopping: AbortSignal,
): UntypedServiceImplementation {
	const out: UntypedServiceImplementation = {};
	for (const [name, method] of Object.entries(definition)) {
		const handler = handlers[name] as AnyHandler;
		const finished = (from: number, error?: unknown): void => {
			const code = error === undefined ? 'OK' : codeOf(error);
			options.onCall?.({ method: method.path, code, ms: options.clock.monotonic() - from });
			if (code === 'Unknown' || code === 'Internal') options.log.error('gRPC call failed', { method: method.path, error });
		};
		if (method.responseStream || method.requestStream) {
			out[name] = streaming(method, handler, finished, options.clock, stopping) as unknown as handleBidiStreamingCall<unknown, unknown>;
			continue;
		}
		out[name] = (call: ServerUnaryCall<unknown, unknown>, reply: Reply): void => {
			const from = options.clock.monotonic();
			const cancel = cancellation(call, stopping);
			const work = async (): Promise<unknown> => handler(call.request, { signal: cancel.signal }) as Promise<unknown>;
			work()
				.then(
					(value) => {
						finished(from);
						reply(null, value);
					},
					(error: unknown) => {
						finished(from, error);
						reply(toGrpc(error));
					},
				)
				.finally(() => cancel[Symbol.dispose]());
		};
	}
	return out;
}

type Reply = (error: object | null, value?: unknown) => void;

/** RPCs that stream at least one way; only a client stream answered once gets `reply`. */
function streaming(
	method: Method,
	handler: AnyHandler,
	finished: (from: number, error?: unknown) => void,
	clock: Clock,
	stopping: AbortSignal,
) {
	return async (call: ServerDuplexStream<unknown, unknown>, reply?: Reply): Promise<void> => {
		const from = clock.monotonic();
		using cancel = cancellation(call, stopping);
		try {
			const request = method.requestStream ? call : (call as unknown as { request: unknown }).request;
			const result = handler(request, { signal: cancel.signal });
			if (!method.responseStream) {
				const value = await (result as Promise<unknown>);
				finished(from);
				reply?.(null, value);
				return;
			}
			for await (const item of result as AsyncIterable<unknown>) {
				if (cancel.signal.aborted) break;
				if (!call.write(item)) await drained(call, cancel.signal);
			}
			finished(from);
			call.end();
		} catch (error) {
			finished(from, error);
			// Emitted, not destroyed with: grpc-js sends the status when the stream ends, which a destroyed one never does.
			if (reply === undefined) call.emit('error', Object.assign(new Error(toGrpc(error).details), toGrpc(error)));
			else reply(toGrpc(error));
		}
	};
}

interface Cancellation extends Disposable {
	readonly signal: AbortSignal;
}

interface Cancellable {
	readonly cancelled: boolean;
	on(event: 'cancelled', fn: () => void): unknown;
	off(event: 'cancelled', fn: () => void): unknown;
}

/** Until disposed: every call ends with a cancel, also one that was answered. */
function cancellation(call: Cancellable, stopping: AbortSignal): Cancellation {
	const controller = new AbortController();
	const onStop = (): void => controller.abort(stopping.reason);
	const onCancel = (): void => controller.abort(new AppError('Canceled', 'The client cancelled the call'));
	call.on('cancelled', onCancel);
	if (call.cancelled) onCancel();
	if (stopping.aborted) onStop();
	else stopping.addEventListener('abort', onStop, { once: true });
	return {
		signal: controller.signal,
		[Symbol.dispose]: () => {
			call.off('cancelled', onCancel);
			stopping.removeEventListener('abort', onStop);
		},
	};
}

function drained(stream: NodeJS.EventEmitter, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = (): void => {
			stream.off('drain', done);
			signal.removeEventListener('abort', done);
			resolve();
		};
		stream.once('drain', done);
		signal.addEventListener('abort', done, { once: true });
	});
}
