/** A watch by plain calls as batches that are waited for. */
import type { Follower, WatchBatch } from './store.ts';

/** @param wake called, once, when something waits again after `take` had nothing more */
export type Follow = (wake: () => void) => Follower;

/** At most this many changes go into one batch, so that a far-behind watch does not hold the loop. */
const BATCH = 500;

/** Subscribes now, not at the first `next()`: nothing between the call and the first read is missed. Ends when the signal aborts. */
export function batches(follow: Follow, signal: AbortSignal): AsyncIterable<WatchBatch> {
	let resume: (() => void) | undefined;
	let ended = false;
	const wake = (): void => resume?.();
	const follower = follow(wake);
	const end = (): IteratorResult<WatchBatch> => {
		ended = true;
		signal.removeEventListener('abort', onAbort);
		follower[Symbol.dispose]();
		return { done: true, value: undefined };
	};
	const onAbort = (): void => {
		follower[Symbol.dispose]();
		wake();
	};
	signal.addEventListener('abort', onAbort, { once: true });
	const next = async (): Promise<IteratorResult<WatchBatch>> => {
		for (;;) {
			if (ended || signal.aborted) return end();
			let value;
			try {
				value = follower.take(BATCH);
			} catch (error) {
				end();
				throw error;
			}
			if (value !== undefined) return { done: false, value };
			await new Promise<void>((resolve) => (resume = resolve));
			resume = undefined;
		}
	};
	const iterator = { next, return: () => Promise.resolve(end()) };
	return { [Symbol.asyncIterator]: () => iterator };
}
