/** Service-account tokens for pods, requested from the API server and renewed in time. */
import type { Pod, TokenRequest } from '../../api/gen/types.ts';
import { SERVICE_ACCOUNTS } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';

export interface HeldToken {
	readonly token: string;
	readonly expiresAt: number;
}

interface Held extends HeldToken {
	readonly renewAt: number;
}

/** Upstream: refreshed when 80 % of the life has passed, or after a day. */
const RENEW_SHARE = 0.8;
const MAX_AGE_MS = 24 * 3_600_000;
const JITTER_MS = 10_000;
export const DEFAULT_EXPIRATION_SECONDS = 3600;

export class Tokens {
	readonly #client: Client;
	readonly #clock: Clock;
	readonly #held = new Map<string, Held>();

	constructor(client: Client, clock: Clock) {
		this.#client = client;
		this.#clock = clock;
	}

	async token(pod: Pod, audience: string, expirationSeconds: number, signal: AbortSignal): Promise<string> {
		return (await this.held(pod, audience, expirationSeconds, signal)).token;
	}

	/** The token with its end; `expirationSeconds` undefined leaves its life to the API server. */
	async held(pod: Pod, audience: string, expirationSeconds: number | undefined, signal: AbortSignal): Promise<HeldToken> {
		const { namespace = '', name = '', uid = '' } = pod.metadata;
		const account = pod.spec?.serviceAccountName ?? 'default';
		const key = JSON.stringify([uid, account, audience, expirationSeconds]);
		const held = this.#held.get(key);
		const now = this.#clock.now();
		if (held !== undefined && now < held.renewAt) return held;
		const request = {
			apiVersion: 'authentication.k8s.io/v1',
			kind: 'TokenRequest',
			spec: {
				audiences: audience === '' ? [] : [audience],
				...(expirationSeconds === undefined ? {} : { expirationSeconds }),
				boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
			},
		};
		const options = { subresource: 'token', key: `${namespace}/${account}`, signal };
		const answer = await this.#client.create<never, TokenRequest>(SERVICE_ACCOUNTS as never, request, options).catch((error: unknown) => {
			// The one there is good for a while: the next look asks again.
			if (held === undefined || now >= held.expiresAt || signal.aborted) throw error;
			return undefined;
		});
		if (answer === undefined) return held ?? { token: '', expiresAt: now };
		const token = answer.status?.token ?? '';
		const expires = Date.parse(answer.status?.expirationTimestamp ?? '');
		const expiresAt = Number.isNaN(expires) ? now + (expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS) * 1000 : expires;
		const renewAt = now + Math.min(MAX_AGE_MS, (expiresAt - now) * RENEW_SHARE) - this.#clock.random() * JITTER_MS;
		const fresh = { token, renewAt, expiresAt };
		this.#held.set(key, fresh);
		return fresh;
	}

	/** Drops what a pod held. */
	forget(uid: string): void {
		for (const key of this.#held.keys()) if (key.startsWith(`["${uid}"`)) this.#held.delete(key);
	}
}
