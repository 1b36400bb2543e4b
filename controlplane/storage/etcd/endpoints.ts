/** The endpoints of one etcd cluster: calls go to one of them, and on to the next when it is away. */
import type { Clock } from '../../../base/clock.ts';
import { delayMs } from '../../../base/backoff.ts';
import { codeOf } from '../../../base/errors.ts';
import { KVService, LeaseService, MaintenanceService, WatchService } from '../../../wire/gen/etcd-rpc.ts';
import { grpcClient, type GrpcClient } from '../../../wire/grpc/client.ts';
import { NotConnected } from '../../../wire/grpc/session.ts';

const SERVICES = { ...KVService, ...LeaseService, ...MaintenanceService, ...WatchService };

export type EtcdClient = GrpcClient<typeof SERVICES>;

export interface EndpointOptions {
	/** "http://127.0.0.1:2379", "https://etcd-0:2379" or "unix:///run/etcd.sock", at least one. */
	readonly endpoints: readonly string[];
	/** PEM texts, for https endpoints. */
	readonly tls?: { readonly caPem: string; readonly certPem?: string; readonly keyPem?: string };
	readonly clock: Clock;
}

/** How long one call may take (upstream's etcd client waits as long for a member that does not answer). */
const CALL_MS = 10_000;
/**
 * A member whose machine is gone ends no watch by itself, and a page of large objects is an answer of any size (upstream's keepaliveTime and
 * keepaliveTimeout, and the limit of etcd's client).
 */
const CONNECTIONS = { keepalive: { afterMs: 30_000, timeoutMs: 10_000 }, maxAnswerBytes: 2 ** 31 - 1 };
const RETRY = { initialMs: 50, maxMs: 1000, jitter: 0.5 };

export class Endpoints {
	readonly #clients: readonly EtcdClient[];
	readonly #clock: Clock;
	#current = 0;

	private constructor(clients: readonly EtcdClient[], clock: Clock) {
		this.#clients = clients;
		this.#clock = clock;
	}

	/** Dials lazily: an endpoint that is away is no error here. */
	static async open(options: EndpointOptions): Promise<Endpoints> {
		const { endpoints, tls, clock } = options;
		const clients = endpoints.map((endpoint) => {
			const secure = endpoint.startsWith('https://') && tls !== undefined;
			return grpcClient(SERVICES, { ...CONNECTIONS, address: endpoint.replace(/^https?:\/\//, ''), clock, ...(secure ? { tls } : {}) });
		});
		return new Endpoints(await Promise.all(clients), clock);
	}

	/** The client in use and how to say that it failed, for streams. */
	current(): { readonly client: EtcdClient; readonly failed: () => void } {
		const at = this.#current;
		return { client: this.#clients[at] as EtcdClient, failed: () => this.#leave(at) };
	}

	/** A call that may be repeated: goes round the endpoints until one answers, `attempts` rounds at the most. */
	async read<T>(call: (client: EtcdClient, options: { readonly timeoutMs: number }) => Promise<T>, signal?: AbortSignal): Promise<T> {
		return this.#call(call, signal, (error) => ['Unavailable', 'DeadlineExceeded'].includes(codeOf(error)));
	}

	/** A call that may not: goes on to the next endpoint only when it was never sent. */
	async write<T>(call: (client: EtcdClient, options: { readonly timeoutMs: number }) => Promise<T>, signal?: AbortSignal): Promise<T> {
		return this.#call(call, signal, (error) => codeOf(error) === 'Unavailable' && neverSent(error));
	}

	async #call<T>(
		call: (client: EtcdClient, options: { readonly timeoutMs: number }) => Promise<T>,
		signal: AbortSignal | undefined,
		again: (error: unknown) => boolean,
	): Promise<T> {
		for (let attempt = 0; ; attempt++) {
			signal?.throwIfAborted();
			const at = this.#current;
			try {
				return await call(this.#clients[at] as EtcdClient, { timeoutMs: CALL_MS });
			} catch (error) {
				if (['Unavailable', 'DeadlineExceeded'].includes(codeOf(error))) this.#leave(at);
				const round = Math.floor(attempt / this.#clients.length);
				if (round >= 2 || !again(error)) throw error;
				if ((attempt + 1) % this.#clients.length === 0) await this.#clock.sleep(delayMs(RETRY, round, this.#clock.random()), signal);
			}
		}
	}

	#leave(at: number): void {
		if (this.#current === at) this.#current = (at + 1) % this.#clients.length;
	}

	close(): void {
		for (const client of this.#clients) client.close();
	}
}

/** True when the call cannot have reached a server. */
function neverSent(error: unknown): boolean {
	return error instanceof NotConnected;
}
