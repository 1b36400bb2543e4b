/** Work of a part that nobody waits for at the start: done again after a failure, which is logged, until it succeeds or the part ends. */
import { retrying } from '../../base/backoff.ts';
import { messageOf } from '../../base/errors.ts';
import type { PartDeps } from './apiserver.ts';

const AGAIN = { initialMs: 500, maxMs: 30_000 } as const;

/**
 * Rejects with the signal's reason only.
 * @param failure what is logged of a failure, with its reason
 */
export function keepTrying<T>(
	{ clock, log }: Pick<PartDeps, 'clock' | 'log'>,
	failure: string,
	work: () => Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	return retrying(clock, AGAIN, signal, work, (error) => {
		if (!signal.aborted) log.error(failure, { reason: messageOf(error) });
		return true;
	});
}
