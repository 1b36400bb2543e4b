/** Typed gRPC clients from generated definitions: unary calls as promises, server streams as async iterables, errors as AppError. */
import { abortable } from '../../base/abort.ts';
import { delayMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { AppError } from '../../base/errors.ts';
import { Connection, type Peer } from './connection.ts';
import type { CallObserver, CallOptions, Calls, FinishedCall, ServiceDefinition } from './method.ts';
import { NotConnected } from './session.ts';
import { inGo } from './status.ts';
import { clientStream, stream, unary } from './client-rpcs.ts';

export interface GrpcClientOptions extends Peer {
	/** 16 MiB unless told. */
	readonly maxAnswerBytes?: number;
	/** Told of every finished call with one answer. */
	readonly onCall?: (call: FinishedCall) => void;
	/** Asked for who follows it at the start of each call, "/csi.v1.Controller/CreateVolume". */
	readonly observe?: (method: string) => CallObserver;
	/** Failures read as Go's clients print them: "rpc error: code = NotFound desc = …" (RpcError). */
	readonly goErrors?: boolean;
}

export type GrpcClient<S extends ServiceDefinition> = Calls<S> & {
	close(): void;
	/** Resolves once there is a connection, however often it takes to try. */
	connected(signal: AbortSignal): Promise<void>;
};

/** Between tries to connect. */
const AGAIN = { initialMs: 100, maxMs: 1000, jitter: 0.2 };

/** Connects lazily, and again after the server was away. */
export async function grpcClient<S extends ServiceDefinition>(definition: S, options: GrpcClientOptions): Promise<GrpcClient<S>> {
	const connection = new Connection(options);
	const { clock, maxAnswerBytes, onCall, observe } = options;
	const failed = options.goErrors === true ? inGo : (failure: AppError): AppError => failure;
	const calls: Record<string, unknown> = {
		close: () => connection.close(),
		connected: (signal: AbortSignal) => untilConnected(connection, clock, signal),
	};
	for (const [name, method] of Object.entries(definition)) {
		const kind = method.responseStream ? stream : method.requestStream ? clientStream : unary;
		const given = { connection, method, clock, maxAnswerBytes, onCall, observe, failed };
		calls[name] = (request: unknown, callOptions: CallOptions = {}) => kind(given, request, callOptions);
	}
	return calls as GrpcClient<S>;
}

async function untilConnected(connection: Connection, clock: Clock, signal: AbortSignal): Promise<void> {
	for (let tries = 0; ; tries++)
		try {
			await abortable(Promise.resolve(connection.session()), signal);
			return;
		} catch (error) {
			if (!(error instanceof NotConnected)) throw error;
			await clock.sleep(delayMs(AGAIN, tries, clock.random()), signal);
		}
}
