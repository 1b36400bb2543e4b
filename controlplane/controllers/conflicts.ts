/** A conflict only says that the cache is a moment behind: look again shortly, without counting it as a failure. */
import { aggregated } from '../../base/aggregate.ts';
import { codeOf } from '../../base/errors.ts';
import type { Reconcile } from '../../client/controller.ts';

/** Long enough for the change that won to arrive. */
const AGAIN_MS = 20;

export function retryingConflicts(reconcile: Reconcile): Reconcile {
	return async (key, signal) => {
		try {
			return await reconcile(key, signal);
		} catch (error) {
			if (codeOf(error) === 'Aborted') return { afterMs: AGAIN_MS };
			throw error;
		}
	};
}

/** What several failed with, as one error: conflicts only where there is nothing else. */
export function failureOf(failed: readonly unknown[]): unknown {
	const others = failed.filter((error) => codeOf(error) !== 'Aborted');
	return aggregated(others.length > 0 ? others : failed);
}
