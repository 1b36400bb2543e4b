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
