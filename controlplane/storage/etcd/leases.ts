/** Leases for keys with a time to live. Keys written shortly after one another share a lease, as upstream's lease manager does. */
import type { Clock } from '../../../base/clock.ts';
import type { Endpoints } from './endpoints.ts';

interface Shared {
	readonly id: Promise<bigint>;
	readonly reuseUntil: number;
	keys: number;
}

/** Upstream's defaults: a lease is shared for 5 % of the time to live but not over a minute, by 1,000 keys at the most. */
const SHARE = 0.05;
const MAX_SHARE_MS = 60_000;
const MAX_KEYS = 1000;

export class Leases {
	readonly #endpoints: Endpoints;
	readonly #clock: Clock;
	readonly #shared = new Map<number, Shared>();

	readonly #maxShareMs: number;

	constructor(endpoints: Endpoints, clock: Clock, maxShareMs = MAX_SHARE_MS) {
		this.#endpoints = endpoints;
		this.#clock = clock;
		this.#maxShareMs = maxShareMs;
	}

	/** A lease that ends no earlier than after `ttlMs`. */
	async forTtl(ttlMs: number): Promise<bigint> {
		const now = this.#clock.monotonic();
		const known = this.#shared.get(ttlMs);
		if (known !== undefined && now < known.reuseUntil && known.keys < MAX_KEYS) {
			known.keys++;
			return known.id;
		}
		// In whole seconds: what lives shortly has a lease of its own.
		const shareMs = Math.floor(Math.min(this.#maxShareMs, ttlMs * SHARE) / 1000) * 1000;
		const id = this.#grant(BigInt(Math.ceil((ttlMs + shareMs) / 1000)));
		const shared = { id, reuseUntil: now + shareMs, keys: 1 };
		this.#shared.set(ttlMs, shared);
		id.catch(() => {
			if (this.#shared.get(ttlMs) === shared) this.#shared.delete(ttlMs);
		});
		return id;
	}

	async #grant(seconds: bigint): Promise<bigint> {
		const granted = await this.#endpoints.read((client, options) => client.leaseGrant({ TTL: seconds, ID: 0n }, options));
		return granted.ID;
	}
}
