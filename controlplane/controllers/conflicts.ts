/** A conflict only says that the cache is a moment behind: look again shortly, without counting it as a failure. */
import { aggregated } from '../../base/aggregate.ts';
import { KeyedBackoff, type BackoffPolicy } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import type { Key } from '../../api/resource.ts';
import type { Reconcile } from '../../client/controller.ts';

/** At first long enough for the change that won to arrive; one that stays is no hot loop: up to client-go's longest wait. */
const AGAIN: BackoffPolicy = { initialMs: 20, maxMs: 1_000_000 };

export function retryingConflicts(reconcile: Reconcile, clock: Clock): Reconcile {
	const conflicts = new KeyedBackoff(AGAIN, clock);
	const due = new Map<Key, number>();
	return async (key, signal) => {
		try {
			const again = await reconcile(key, signal);
			conflicts.forget(key);
			due.delete(key);
			return again;
		} catch (error) {
			if (codeOf(error) !== 'Aborted') throw error;
			const now = clock.monotonic();
			// A look that another change brought in between is no try of this one.
			const left = (due.get(key) ?? now) - now;
			if (left > 0) return { afterMs: left };
			const afterMs = conflicts.nextMs(key);
			due.set(key, now + afterMs);
			return { afterMs };
		}
	};
}

/** What several failed with, as one error: conflicts only where there is nothing else. */
export function failureOf(failed: readonly unknown[]): unknown {
	const others = failed.filter((error) => codeOf(error) !== 'Aborted');
	return aggregated(others.length > 0 ? others : failed);
}
