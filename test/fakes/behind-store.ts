/** A store that others write to as well and whose memory is behind: what they have written shows after `fresh`, or after a write of one's own. */
import type { Store } from '../../controlplane/storage/store.ts';

/** @param store where the others write */
export function behindStore(store: Store): Store {
	let shown = store.revision();
	const catchUp = (): bigint => (shown = store.revision());
	return {
		shared: true,
		revision: () => shown,
		compacted: () => store.compacted(),
		async fresh(min) {
			if (min === undefined || min > shown) catchUp();
			await Promise.resolve();
			return shown;
		},
		get: (key, at = shown) => store.get(key, at),
		list: (prefix, page) => store.list(prefix, { ...page, at: page.at ?? shown }),
		async commit(writes, signal) {
			try {
				return await store.commit(writes, signal);
			} finally {
				catchUp();
			}
		},
		watch: (prefix, from, signal) => store.watch(prefix, from, signal),
		follow: (prefix, from, wake) => store.follow(prefix, from, wake),
		compact: (before) => store.compact(before),
		close: () => store.close(),
	};
}
