/**
 * The Store: reads from memory, durable revisions only; every write names the revision it expects.
 * One interface, several implementations (memory, SQLite, etcd), one shared suite (`store-suite.ts` in test/).
 * A write is acknowledged, readable and watched only after it is durable.
 */

import type { LiveSealing } from './encryption/live-sealing.ts';

/** Canonical bytes and the facts that selectors need. */
export interface Encoded {
	/** The object's JSON without resourceVersion. */
	readonly bytes: Uint8Array;
	/** Their number, where it is known without reading them. */
	readonly size?: number;
	/** Offset in `bytes` where `"resourceVersion":"N",` is spliced in (inside metadata). */
	readonly versionAt: number;
	readonly labels: Readonly<Record<string, string>>;
	/** Values of the kind's selectable fields, metadata.name and metadata.namespace among them. */
	readonly fields: Readonly<Record<string, string>>;
	/** It lies at rest in a form that would not be written now (another key): a write that changes nothing rewrites it. */
	readonly stale?: boolean;
}

export function sizeOf(value: Encoded): number {
	return value.size ?? value.bytes.length;
}

export interface Entry {
	readonly key: string;
	/** The revision that wrote it. */
	readonly revision: bigint;
	readonly value: Encoded;
}

/** One commit's effect on one key; `before` is what it replaced. A delete has no `after`. */
export interface Change {
	readonly key: string;
	readonly revision: bigint;
	readonly before?: Entry;
	readonly after?: Entry;
}

export interface Page {
	readonly entries: readonly Entry[];
	/** The revision the page shows. */
	readonly revision: bigint;
	/** True when more keys with the prefix follow the last entry. */
	readonly more: boolean;
	/** How many follow, when known cheaply; at an older revision, how many follow now. */
	readonly remaining: number;
}

export interface Write {
	readonly key: string;
	readonly expect: bigint | 'absent';
	/** Absent: delete. */
	readonly value?: Encoded;
	readonly ttlMs?: number;
}

/** A batch of changes, or progress: everything up to `revision` has been delivered. */
export interface WatchBatch {
	readonly revision: bigint;
	readonly changes: readonly Change[];
}

/** A watch by plain calls; dispose it to end it. */
export interface Follower extends Disposable {
	/**
	 * What waits, in order, at most `limit` changes; undefined: nothing does. Watches of one prefix that are equally far get the same batch.
	 * AppError OutOfRange when compaction has overtaken it.
	 */
	take(limit: number): WatchBatch | undefined;
	/** Whether `take` has something to give, or to throw. */
	readonly waits: boolean;
}

export interface Store {
	/** The keys that values are sealed with at rest; absent: they are plain. */
	readonly sealing?: LiveSealing | undefined;
	/** True when others write to it as well: what memory shows may be behind until `fresh`. */
	readonly shared: boolean;
	/** The newest durable revision. */
	revision(): bigint;
	/** Revisions before this one are gone. */
	compacted(): bigint;
	/** Barrier for consistent reads: resolves with a revision >= min (or the newest) once reads show it. AppError DeadlineExceeded by the signal. */
	fresh(min: bigint | undefined, signal: AbortSignal): Promise<bigint>;
	get(key: string, at?: bigint): Entry | undefined;
	/** Keys in byte order. `after` is exclusive. AppError OutOfRange when `at` is compacted. */
	list(prefix: string, page: { readonly after?: string; readonly limit?: number; readonly at?: bigint }): Page;
	/**
	 * The same of what memory does not know any more, from where the store is durable. AppError OutOfRange when `at` is compacted there, too.
	 * Absent: memory is all there is.
	 */
	past?(
		prefix: string,
		page: { readonly after?: string; readonly limit?: number; readonly at: bigint },
		signal: AbortSignal,
	): Promise<Page>;
	/**
	 * All or nothing. AppError Aborted (names the key) when an expectation fails; resolves with the commit's revision once durable. The signal ends what has not
	 * been written; what has is never told as failed for it.
	 */
	commit(writes: readonly Write[], signal?: AbortSignal): Promise<bigint>;
	/** Changes after `from`, in order, none twice. AppError OutOfRange when `from` is compacted. Ends when the signal aborts. */
	watch(prefix: string, from: bigint, signal: AbortSignal): AsyncIterable<WatchBatch>;
	/** The same by plain calls: nothing stands between a commit and those who follow it. `wake` is called when something waits again; it must not throw. */
	follow(prefix: string, from: bigint, wake: () => void): Follower;
	compact(before: bigint): Promise<void>;
	/** How many bytes it takes where it is durable; absent where it is durable nowhere. */
	diskBytes?(): Promise<number>;
	close(): Promise<void>;
}
