/** A store with another writer that is always faster where a key is to lose: each write of it finds the object changed. */
import type { Clock } from '../../base/clock.ts';
import type { Store, Write } from '../../controlplane/storage/store.ts';

const TAKES_MS = 10;

/** @param loses asked of the key of each write to what is there */
export function losingStore(store: Store, clock: Clock, loses: (key: string) => boolean): Store {
	const commit: Store['commit'] = async (writes, signal) => {
		const [{ key }] = writes as readonly [Write];
		const now = store.get(key);
		if (now !== undefined && loses(key)) {
			await clock.sleep(TAKES_MS);
			await store.commit([{ key, expect: now.revision, value: now.value }]);
		}
		return store.commit(writes, signal);
	};
	return new Proxy(store, {
		get(target, name) {
			if (name === 'commit') return commit;
			const value: unknown = Reflect.get(target, name, target);
			return typeof value === 'function' ? value.bind(target) : value;
		},
	});
}
