/** How long tokens of OpenID Connect issuers take, and when their keys were fetched, under upstream's names. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../../base/clock.ts';
import { Gauge, Histogram, type Registry } from '../../../../base/metrics.ts';
import { serverIdentity } from '../../bootstrap/identity-lease.ts';

const PREFIX = 'apiserver_authentication_jwt_authenticator_';
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Result = 'success' | 'failure';

export class JwtMetrics {
	readonly #clock: Clock;
	readonly #latency: Histogram<'result' | 'jwt_issuer_hash'>;
	readonly #fetched: Gauge<'result' | 'jwt_issuer_hash' | 'apiserver_id_hash'>;
	readonly #keys: Gauge<'jwt_issuer_hash' | 'apiserver_id_hash' | 'hash'>;
	readonly #server = hashOf(serverIdentity());
	/** Hash of the key set, by that of the issuer. */
	readonly #known = new Map<string, string>();

	constructor(registry: Registry, clock: Clock) {
		const registers = [registry];
		this.#clock = clock;
		this.#latency = new Histogram({
			name: `${PREFIX}latency_seconds`,
			help: 'Latency of jwt authentication operations in seconds. This is the time spent authenticating a token for cache miss only (i.e. when the token is not found in the cache).',
			labelNames: ['result', 'jwt_issuer_hash'],
			...{ buckets: BUCKETS, registers },
		});
		this.#fetched = new Gauge({
			name: `${PREFIX}jwks_fetch_last_timestamp_seconds`,
			help: 'Timestamp of the last successful or failed JWKS fetch split by result, api server identity and jwt issuer for the JWT authenticator.',
			...{ labelNames: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'], registers },
		});
		this.#keys = new Gauge({
			name: `${PREFIX}jwks_fetch_last_key_set_info`,
			help: 'Information about the last JWKS fetched by the JWT authenticator with hash as label, split by api server identity and jwt issuer.',
			...{ labelNames: ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'], registers },
		});
	}

	authenticated(issuer: string, result: Result, seconds: number): void {
		this.#latency.observe({ result, jwt_issuer_hash: hashOf(issuer) }, seconds);
	}

	/** @param text the key set as it was sent; undefined: it could not be had */
	fetched(issuer: string, text: string | undefined): void {
		const of = { jwt_issuer_hash: hashOf(issuer), apiserver_id_hash: this.#server };
		this.#fetched.set({ ...of, result: text === undefined ? 'failure' : 'success' }, this.#clock.now() / 1000);
		if (text === undefined) return;
		this.#forgetKeys(of);
		const hash = hashOf(text);
		this.#known.set(of.jwt_issuer_hash, hash);
		this.#keys.set({ ...of, hash }, 1);
	}

	/** An issuer that is no longer believed. */
	forget(issuer: string): void {
		const of = { jwt_issuer_hash: hashOf(issuer), apiserver_id_hash: this.#server };
		for (const result of ['success', 'failure']) this.#fetched.remove({ ...of, result });
		this.#forgetKeys(of);
	}

	#forgetKeys(of: { readonly jwt_issuer_hash: string; readonly apiserver_id_hash: string }): void {
		const hash = this.#known.get(of.jwt_issuer_hash);
		if (hash === undefined) return;
		this.#known.delete(of.jwt_issuer_hash);
		this.#keys.remove({ ...of, hash });
	}
}

function hashOf(text: string): string {
	return text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
