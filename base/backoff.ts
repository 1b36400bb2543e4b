/** Exponential back-off, per key or for one loop. */
import type { Clock } from './clock.ts';

export interface BackoffPolicy {
	readonly initialMs: number;
	readonly maxMs: number;
	/** 2 unless told. */
	readonly factor?: number;
	/** A share of the delay added at random, 0 unless told: 0.5 makes 10 s into 10–15 s. */
	readonly jitter?: number;
}

/** The delay before try number `attempt` (0 is the first retry). Pure but for the given randomness in [0, 1). */
export function delayMs(policy: BackoffPolicy, attempt: number, random: number): number {
	const base = Math.min(policy.maxMs, policy.initialMs * (policy.factor ?? 2) ** attempt);
	return base * (1 + (policy.jitter ?? 0) * random);
}

/** Waits that grow with each try of a key in a row. */
export class KeyedBackoff<K = string> {
	readonly #policy: BackoffPolicy;
	readonly #clock: Clock;
	readonly #tries = new Map<K, number>();

	constructor(policy: BackoffPolicy, clock: Clock) {
		this.#policy = policy;
		this.#clock = clock;
	}

	/** How long to wait before the key's next try. */
	nextMs(key: K): number {
		const tries = this.#tries.get(key) ?? 0;
		this.#tries.set(key, tries + 1);
		return delayMs(this.#policy, tries, this.#clock.random());
	}

	/** The key starts afresh. */
	forget(key: K): void {
		this.#tries.delete(key);
	}

	/** Those that wait, or are tried again. */
	keys(): readonly K[] {
		return [...this.#tries.keys()];
	}
}

/** Calls `work` until it succeeds, waiting between tries; rethrows what `retry` says no to, and the signal's reason. */
export async function retrying<T>(
	clock: Clock,
	policy: BackoffPolicy,
	signal: AbortSignal,
	work: (attempt: number) => Promise<T>,
	retry: (error: unknown, attempt: number) => boolean = () => true,
): Promise<T> {
	for (let attempt = 0; ; attempt++) {
		try {
			return await work(attempt);
		} catch (error) {
			if (signal.aborted || !retry(error, attempt)) throw error;
			await clock.sleep(delayMs(policy, attempt, clock.random()), signal);
		}
	}
}
