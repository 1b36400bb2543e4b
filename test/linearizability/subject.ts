/** A store as the workload sees it: consistent reads and compare-and-swap of numbers. */
import type { Store } from '../../controlplane/storage/store.ts';
import { textOf, value } from '../suites/store-suite.ts';

export interface Seen {
	readonly value: number;
	readonly revision: bigint;
}

export interface Subject {
	read(key: string): Promise<Seen | undefined>;
	/** Without a value the key is deleted. AppError Aborted: refused, nothing happened; any other error: nobody knows. */
	swap(key: string, expect: bigint | 'absent', to: number | undefined): Promise<bigint>;
}

export function subjectOf(store: Store): Subject {
	const forever = new AbortController().signal;
	return {
		async read(key) {
			await store.fresh(undefined, forever);
			const entry = store.get(key);
			return entry === undefined ? undefined : { value: Number(textOf(entry.value)), revision: entry.revision };
		},
		swap: (key, expect, to) => store.commit([{ key, expect, ...(to === undefined ? {} : { value: value(String(to)) }) }]),
	};
}
