/** The Store without a disk: for tests, simulations and throw-away clusters. Durable means: the call has returned. */
import type { Clock } from '../../base/clock.ts';
import { Contents } from './contents.ts';
import { ServedStore } from './served-store.ts';
import type { Store } from './store.ts';

export function createMemoryStore(clock: Clock): Store {
	return new ServedStore({
		clock,
		durability: { append: () => Promise.resolve(), close: () => Promise.resolve() },
		contents: new Contents({ revision: 1n, entries: [] }),
		fatal: () => {},
	});
}
