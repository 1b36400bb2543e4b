/**
 * Clients that act as service accounts of kube-system, so that each controller has the rights of its own role and no more (upstream's
 * --use-service-account-credentials): the manager makes the account where it is missing and asks for its tokens. All share one connection.
 */
import { readFile } from 'node:fs/promises';
import type { TokenRequest } from '../../api/gen/types.ts';
import { SERVICE_ACCOUNTS } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { createTransport } from '../../client/http2.ts';
import { createClient } from '../../client/rest.ts';
import type { Transport } from '../../client/transport.ts';
import type { TransportMetrics } from '../../client/transport-metrics.ts';
import type { ApiAccess } from './config.ts';
import { KUBE_SYSTEM } from './kube-system.ts';

/** What is asked for; the server may give less or more. */
const TOKEN_SECONDS = 3600;
/** A token is replaced when this share of its life is over. */
const USED = 0.8;

/**
 * @param manager may create service accounts and their tokens (system:kube-controller-manager)
 * @param metrics absent: nobody counts
 */
export function serviceAccountClients(
	manager: Client,
	access: Pick<ApiAccess, 'server' | 'caFile'>,
	clock: Clock,
	metrics?: TransportMetrics,
): (name: string) => Client {
	const plain = createTransport({ server: access.server, tls: async () => ({ ca: await readFile(access.caFile, 'utf8') }), clock });
	const shared = metrics?.measured(plain, new URL(access.server).host) ?? plain;
	return (name) => createClient(withTokens(shared, new Tokens(manager, name, clock)));
}

/** The same transport with a bearer token; a token that the server no longer takes is replaced. Closing it leaves the shared one open. */
export function withTokens(shared: Transport, tokens: Tokens): Transport {
	const bearing = async <R extends { readonly headers?: Readonly<Record<string, string>> }>(
		request: R,
		signal: AbortSignal,
	): Promise<R> => ({
		...request,
		headers: { ...request.headers, authorization: `Bearer ${await tokens.current(signal)}` },
	});
	return {
		async request(request, signal) {
			const answer = await shared.request(await bearing(request, signal), signal);
			if (answer.status === 401) tokens.forget();
			return answer;
		},
		upgrade: async (request, signal) => shared.upgrade(await bearing(request, signal), signal),
		close: () => Promise.resolve(),
	};
}

/** The tokens of one service account, one at a time. */
export class Tokens {
	readonly #manager: Client;
	readonly #name: string;
	readonly #clock: Clock;
	#current: { readonly token: string; readonly until: number } | undefined;
	#asking: Promise<string> | undefined;

	constructor(manager: Client, name: string, clock: Clock) {
		this.#manager = manager;
		this.#name = name;
		this.#clock = clock;
	}

	async current(signal: AbortSignal): Promise<string> {
		if (this.#current !== undefined && this.#clock.now() < this.#current.until) return this.#current.token;
		// Nobody's signal ends what others wait for: the request is short.
		this.#asking ??= this.#ask().finally(() => {
			this.#asking = undefined;
		});
		const token = await this.#asking;
		signal.throwIfAborted();
		return token;
	}

	forget(): void {
		this.#current = undefined;
	}

	async #ask(): Promise<string> {
		const asked = this.#clock.now();
		const answer = await this.#request().catch(async (error: unknown) => {
			if (codeOf(error) !== 'NotFound') throw error;
			const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: KUBE_SYSTEM, name: this.#name } };
			await this.#manager.create(SERVICE_ACCOUNTS, account).catch(ignore('AlreadyExists'));
			return this.#request();
		});
		const { token, expirationTimestamp } = answer.status ?? {};
		if (token === undefined) throw new AppError('Unavailable', `The server gave no token for service account "${this.#name}"`);
		const ends = expirationTimestamp === undefined ? asked + TOKEN_SECONDS * 1000 : Date.parse(expirationTimestamp);
		this.#current = { token, until: asked + (ends - asked) * USED };
		return token;
	}

	#request(): Promise<TokenRequest> {
		const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: TOKEN_SECONDS } };
		return this.#manager.create(SERVICE_ACCOUNTS, body, { subresource: 'token', key: `${KUBE_SYSTEM}/${this.#name}` });
	}
}
