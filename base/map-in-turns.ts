/** What is made of each item, in turns of the loop. Rejects with what `make` throws, or when nobody waits for it any more. */
import type { Turns } from './turns.ts';

export function mapInTurns<T, R>(turns: Turns, items: readonly T[], make: (item: T) => R, signal: AbortSignal): Promise<R[]> {
	const { promise, resolve, reject } = Promise.withResolvers<R[]>();
	const made: R[] = [];
	const turn = (): void => {
		try {
			signal.throwIfAborted();
			while (made.length < items.length) {
				made.push(make(items[made.length] as T));
				if (turns.over) break;
			}
		} catch (error) {
			reject(error as Error);
			return;
		}
		if (made.length < items.length) turns.add(turn);
		else resolve(made);
	};
	turns.add(turn);
	return promise;
}
