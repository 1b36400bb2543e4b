/** The recent changes in order, and the watches that read them with cursors: one copy of a change however many watch it. */
import { batches } from './batches.ts';
import { sizeOf, type Change, type Follower, type WatchBatch } from './store.ts';
import { compactedError } from './versions.ts';

/** One object for each watch: a thousand of them are gone through at every change. */
class Cursor implements Follower {
	/** Position of the first matching change not yet delivered; undefined: none waits. */
	next: number | undefined;
	/** Set when the watch has fallen behind compaction. */
	lost = false;
	readonly wake: () => void;
	readonly #watched: Watched;
	readonly #ring: ChangeRing;

	constructor(ring: ChangeRing, watched: Watched, next: number | undefined, wake: () => void) {
		this.#ring = ring;
		this.#watched = watched;
		this.next = next;
		this.wake = wake;
	}

	get waits(): boolean {
		return this.next !== undefined || this.lost;
	}

	take(limit: number): WatchBatch | undefined {
		return this.#ring.take(this.#watched, this, limit);
	}

	[Symbol.dispose](): void {
		this.#ring.leave(this.#watched, this);
	}
}

/** The watches of one prefix. */
interface Watched {
	readonly prefix: string;
	readonly cursors: Set<Cursor>;
	/** The batch made last: the others who are as far get it, too. */
	made: Made | undefined;
}

interface Made {
	readonly from: number;
	readonly limit: number;
	/** The ring's end then. */
	readonly end: number;
	/** Where the next batch begins. */
	readonly next: number | undefined;
	readonly batch: WatchBatch;
}

/** Of so many folders is known who watches them; then it begins anew. */
const MAX_FOLDERS = 1024;

export class ChangeRing {
	#changes: Change[] = [];
	#historyBytes = 0;
	/** Position of `#changes[0]`; positions only grow. */
	#base = 0;
	#compacted: bigint;
	readonly #watched = new Map<string, Watched>();
	/** By the folder of a key: every write asks, and there are as many prefixes as kinds. */
	readonly #byFolder = new Map<string, readonly Watched[]>();
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
			for (const { prefix, cursors } of this.#watchedAround(change.key)) {
				if (!change.key.startsWith(prefix)) continue;
				for (const cursor of cursors) {
					if (cursor.next !== undefined) continue;
					cursor.next = position;
					woken.push(cursor);
				}
			}
		}
		for (const cursor of woken) cursor.wake();
	}

	/** All whose prefix the key may have. */
	#watchedAround(key: string): readonly Watched[] {
		const folder = key.slice(0, key.lastIndexOf('/') + 1);
		let found = this.#byFolder.get(folder);
		if (found === undefined) {
			found = [...this.#watched.values()].filter(({ prefix }) => folder.startsWith(prefix) || prefix.startsWith(folder));
			if (this.#byFolder.size >= MAX_FOLDERS) this.#byFolder.clear();
			this.#byFolder.set(folder, found);
		}
		return found;
	}

	/** About what the changes and the versions that they replaced hold in memory. */
	get historyBytes(): number {
		return this.#historyBytes;
	}

	/** The revision of the change that so many of those still known come before. */
	revisionAt(count: number): bigint | undefined {
		return this.#changes[count]?.revision;
	}

	/** How many changes are known. */
	get size(): number {
		return this.#changes.length;
	}

	compact(before: bigint): void {
		if (before <= this.#compacted) return;
		this.#compacted = before;
		const keep = this.#firstAfter(before);
		for (let i = 0; i < keep; i++) this.#historyBytes -= weightOf(this.#changes[i] as Change);
		this.#changes = this.#changes.slice(keep);
		this.#base += keep;
		this.#lose((cursor) => cursor.next !== undefined && cursor.next < this.#base);
	}

	/** Every change up to the revision is lost: all watches, idle ones too, have to begin anew. */
	forget(revision: bigint): void {
		this.#compacted = revision;
		this.#base += this.#changes.length;
		this.#changes = [];
		this.#historyBytes = 0;
		this.#lose(() => true);
	}

	/** Those who begin anew as they are told are none of them. */
	#lose(isLost: (cursor: Cursor) => boolean): void {
		const lost = [...this.#watched.values()].flatMap(({ cursors }) => [...cursors].filter(isLost));
		for (const cursor of lost) {
			cursor.lost = true;
			cursor.wake();
		}
	}

	watch(prefix: string, from: bigint, signal: AbortSignal): AsyncIterable<WatchBatch> {
		return batches((wake) => this.follow(prefix, from, wake), signal);
	}

	/** Changes after `from`; AppError OutOfRange when that is compacted. */
	follow(prefix: string, from: bigint, wake: () => void): Follower {
		if (from < this.#compacted) throw compactedError(from, this.#compacted);
		let next: number | undefined;
		for (let i = this.#firstAfter(from); i < this.#changes.length; i++) {
			if (!(this.#changes[i] as Change).key.startsWith(prefix)) continue;
			next = this.#base + i;
			break;
		}
		let watched = this.#watched.get(prefix);
		if (watched === undefined) {
			this.#watched.set(prefix, (watched = { prefix, cursors: new Set(), made: undefined }));
			this.#byFolder.clear();
		}
		const cursor = new Cursor(this, watched, next, wake);
		watched.cursors.add(cursor);
		return cursor;
	}

	/** For its cursors. */
	take(watched: Watched, cursor: Cursor, limit: number): WatchBatch | undefined {
		if (cursor.lost) throw compactedError(this.#changes[0]?.revision ?? this.#compacted, this.#compacted);
		const from = cursor.next;
		if (from === undefined) return undefined;
		let { made } = watched;
		if (made === undefined || made.from !== from || made.limit !== limit || made.end !== this.#end)
			watched.made = made = this.#make(watched.prefix, from, limit);
		cursor.next = made.next;
		return made.batch;
	}

	/** For its cursors. */
	leave(watched: Watched, cursor: Cursor): void {
		watched.cursors.delete(cursor);
		if (watched.cursors.size > 0 || this.#watched.get(watched.prefix) !== watched) return;
		this.#watched.delete(watched.prefix);
		this.#byFolder.clear();
	}

	get #end(): number {
		return this.#base + this.#changes.length;
	}

	#make(prefix: string, from: number, limit: number): Made {
		const changes: Change[] = [];
		let i = from - this.#base;
		for (; i < this.#changes.length && changes.length < limit; i++) {
			const change = this.#changes[i] as Change;
			if (change.key.startsWith(prefix)) changes.push(change);
		}
		const drained = i >= this.#changes.length;
		const revision = drained ? this.#revision() : (changes.at(-1) as Change).revision;
		return { from, limit, end: this.#end, next: drained ? undefined : this.#base + i, batch: { revision, changes } };
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

/** A change, its places in the indexes and what is kept of its events, beside the bytes of the version it replaced. */
const CHANGE_BYTES = 1024;

function weightOf({ before }: Change): number {
	return CHANGE_BYTES + (before === undefined ? 0 : sizeOf(before.value));
}
