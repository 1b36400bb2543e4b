/** Where commits go to become durable. The state is served from memory; this only has to give it back after a crash. */
import type { LiveSealing } from './encryption/live-sealing.ts';
import type { Encoded, Entry } from './store.ts';

export interface DurableWrite {
	readonly key: string;
	/** Absent: delete. */
	readonly value: Encoded | undefined;
	/** Wall time in ms at which the store deletes the key by itself. */
	readonly expiresAt: number | undefined;
}

export interface DurableCommit {
	readonly revision: bigint;
	readonly writes: readonly DurableWrite[];
}

export interface Durability {
	/** What it seals values with; absent: they are plain. */
	readonly sealing?: LiveSealing | undefined;
	/**
	 * Resolves when all are durable. One call at a time, in order of revisions. A rejection with AppError ResourceExhausted means that there was no
	 * room and nothing of them was kept: later calls may succeed. Any other means that nobody knows what is durable: it is fatal.
	 */
	append(commits: readonly DurableCommit[]): Promise<void>;
	/** Resolves when what waits is to be appended: the more goes together, the less each costs. Absent: at once. */
	gathered?(): Promise<void>;
	/** How many bytes all of it takes; absent where it is not kept. */
	diskBytes?(): Promise<number>;
	close(): Promise<void>;
}

/** What was durable when the store was opened. */
export interface Loaded {
	readonly revision: bigint;
	/** Read once, and one at a time: all of them at once would take as much memory again. */
	readonly entries: Iterable<LoadedEntry>;
}

export interface LoadedEntry {
	readonly entry: Entry;
	readonly expiresAt: number | undefined;
}
