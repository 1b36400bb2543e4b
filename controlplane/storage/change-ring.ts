/** The recent changes in order, and the watches that read them with cursors: one copy of a change however many watch it. */
import type { Change, WatchBatch } from './store.ts';
import { compactedError } from './versions.ts';

interface Cursor {
	readonly prefix: string;
	/** Position of the first matching change not yet delivered; undefined: none waits. */
	next: number | undefined;
	/** Set when the watch has fallen behind compaction. */
	lost: boolean;
	wake: (() => void) | undefined;
}

/** At most this many changes go into one batch, so that a far-behind watch does not hold the loop. */
const BATCH = 500;

export class ChangeRing {
	#changes: Change[] = [];
	#historyBytes = 0;
	/** Position of `#changes[0]`; positions only grow. */
	#base = 0;
	#compacted: bigint;
	readonly #cursors = new Map<string, Set<Cursor>>();
	/** The same as a list, which every change runs through. */
	#watched: readonly { readonly prefix: string; readonly cursors: ReadonlySet<Cursor> }[] = [];
	readonly #revision: () => bigint;

	constructor(compacted: bigint, revision: () => bigint) {
		this.#compacted = compacted;
		this.#revision = revision;
	}

	push(changes: readonly Change[]): void {
		const woken: Cursor[] = [];
		for (const change of changes) {
			const position = this.#base + this.#changes.length;
			this.#changes.push(change);
			this.#historyBytes += weightOf(change);
			for (const { prefix, cursors } of this.#watched) {
				if (!change.key.startsWith(prefix)) continue;
				for (const cursor of cursors) {
					if (cursor.next !== undefined) continue;
					cursor.next = position;
					woken.push(cursor);
				}
			}
		}
		for (const cursor of woken) cursor.wake?.();
	}

	/** About what the changes and the versions that they replaced hold in memory. */
	get historyBytes(): number {
		return this.#historyBytes;
	}

	/** The revision before which half of the changes lie. */
	middle(): bigint {
		return this.#changes[this.#changes.length >> 1]?.revision ?? this.#compacted;
	}

	compact(before: bigint): void {
		if (before <= this.#compacted) return;
		this.#compacted = before;
		const keep = this.#firstAfter(before);
		for (let i = 0; i < keep; i++) this.#historyBytes -= weightOf(this.#changes[i] as Change);
		this.#changes = this.#changes.slice(keep);
		this.#base += keep;
		for (const cursors of this.#cursors.values())
			for (const cursor of cursors) {
				if (cursor.next === undefined || cursor.next >= this.#base) continue;
				cursor.lost = true;
				cursor.wake?.();
			}
	}

	/** Every change up to the revision is lost: all watches, idle ones too, have to begin anew. */
	forget(revision: bigint): void {
		this.#compacted = revision;
		this.#base += this.#changes.length;
		this.#changes = [];
		this.#historyBytes = 0;
		for (const cursors of this.#cursors.values())
			for (const cursor of cursors) {
				cursor.lost = true;
				cursor.wake?.();
			}
	}

	/** Subscribes now, not at the first `next()`: nothing between the call and the first read is missed. */
	watch(prefix: string, from: bigint, signal: AbortSignal): AsyncIterable<WatchBatch> {
		if (from < this.#compacted) throw compactedError(from, this.#compacted);
		const cursor: Cursor = { prefix, next: undefined, lost: false, wake: undefined };
		for (let i = this.#firstAfter(from); i < this.#changes.length; i++) {
			if (!(this.#changes[i] as Change).key.startsWith(prefix)) continue;
			cursor.next = this.#base + i;
			break;
		}
		let same = this.#cursors.get(prefix);
		if (same === undefined) {
			this.#cursors.set(prefix, (same = new Set()));
			this.#list();
		}
		same.add(cursor);
		const leave = (): void => {
			same.delete(cursor);
			if (same.size > 0 || this.#cursors.get(prefix) !== same) return;
			this.#cursors.delete(prefix);
			this.#list();
		};
		const iterator = this.#iterator(cursor, signal, leave);
		return { [Symbol.asyncIterator]: () => iterator };
	}

	#list(): void {
		this.#watched = Array.from(this.#cursors, ([prefix, cursors]) => ({ prefix, cursors }));
	}

	/** By hand: a generator makes twice the garbage for each batch, and there may be a thousand of them a change. */
	#iterator(cursor: Cursor, signal: AbortSignal, leave: () => void): AsyncIterator<WatchBatch> {
		let ended = false;
		const end = (): IteratorResult<WatchBatch> => {
			ended = true;
			signal.removeEventListener('abort', onAbort);
			leave();
			return { done: true, value: undefined };
		};
		const settle = (): IteratorResult<WatchBatch> => {
			cursor.wake = undefined;
			if (ended || signal.aborted) return end();
			if (!cursor.lost) return { done: false, value: this.#take(cursor) };
			end();
			throw compactedError(this.#changes[0]?.revision ?? this.#compacted, this.#compacted);
		};
		const onAbort = (): void => {
			leave();
			cursor.wake?.();
		};
		signal.addEventListener('abort', onAbort, { once: true });
		const waits = (): boolean => cursor.next === undefined && !cursor.lost && !ended && !signal.aborted;
		return {
			next: () => (waits() ? new Promise<void>((resolve) => (cursor.wake = resolve)) : Promise.resolve()).then(settle),
			return: () => Promise.resolve(end()),
		};
	}

	#take(cursor: Cursor): WatchBatch {
		const changes: Change[] = [];
		let i = (cursor.next as number) - this.#base;
		for (; i < this.#changes.length && changes.length < BATCH; i++) {
			const change = this.#changes[i] as Change;
			if (change.key.startsWith(cursor.prefix)) changes.push(change);
		}
		const drained = i >= this.#changes.length;
		cursor.next = drained ? undefined : this.#base + i;
		return { revision: drained ? this.#revision() : (changes.at(-1) as Change).revision, changes };
	}

	/** Index of the first change after the revision. */
	#firstAfter(revision: bigint): number {
		let [low, high] = [0, this.#changes.length];
		while (low < high) {
			const mid = (low + high) >> 1;
			if ((this.#changes[mid] as Change).revision <= revision) low = mid + 1;
			else high = mid;
		}
		return low;
	}
}

/** A change and its place in the indexes, beside the bytes of the version it replaced. */
const CHANGE_BYTES = 512;

function weightOf({ before }: Change): number {
	return CHANGE_BYTES + (before?.value.bytes.length ?? 0);
}
