/** All keys with their current and, until compaction, their older versions: exact reads at any revision not yet compacted. */
import { AppError } from '../../base/errors.ts';
import { endOf, SortedKeys } from './sorted-keys.ts';
import { KnownLists } from './known-lists.ts';
import type { Change, Entry, Page } from './store.ts';

/** What a key held from `from` on until the next version; no entry: deleted. */
interface Version {
	readonly from: bigint;
	readonly entry: Entry | undefined;
}

export class Versions {
	readonly #current = new Map<string, Entry>();
	readonly #live = new SortedKeys();
	readonly #lists = new KnownLists();
	/** Keys deleted since the last compaction. */
	readonly #dead = new SortedKeys();
	/** Versions before the current one, oldest first. */
	readonly #old = new Map<string, Version[]>();
	#revision: bigint;
	#compacted: bigint;

	constructor(revision: bigint, entries: Iterable<Entry> = []) {
		this.#revision = revision;
		this.#compacted = revision;
		for (const entry of entries) {
			this.#current.set(entry.key, entry);
			this.#live.add(entry.key);
		}
	}

	get revision(): bigint {
		return this.#revision;
	}
	get compacted(): bigint {
		return this.#compacted;
	}

	current(key: string): Entry | undefined {
		return this.#current.get(key);
	}

	/** Applies one commit and says what it changed. A delete of an absent key changes nothing. */
	apply(revision: bigint, writes: readonly { readonly key: string; readonly after: Entry | undefined }[]): Change[] {
		const changes: Change[] = [];
		for (const { key, after } of writes) {
			const before = this.#current.get(key);
			if (before === undefined && after === undefined) continue;
			this.#lists.changed(key);
			this.#remember(key, before);
			if (after === undefined) {
				this.#current.delete(key);
				this.#live.delete(key);
				this.#dead.add(key);
				this.#old.get(key)?.push({ from: revision, entry: undefined });
			} else {
				this.#current.set(key, after);
				if (before === undefined) {
					this.#live.add(key);
					this.#dead.delete(key);
				}
			}
			changes.push({ key, revision, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
		}
		this.#revision = revision;
		return changes;
	}

	#remember(key: string, before: Entry | undefined): void {
		let old = this.#old.get(key);
		if (old === undefined) {
			if (before === undefined) old = [];
			else old = [{ from: before.revision, entry: before }];
			this.#old.set(key, old);
		} else if (before !== undefined) old.push({ from: before.revision, entry: before });
	}

	get(key: string, at?: bigint): Entry | undefined {
		const now = this.#current.get(key);
		if (at === undefined || at >= this.#revision) return now;
		this.#check(at);
		return this.#at(key, at);
	}

	#at(key: string, at: bigint): Entry | undefined {
		const now = this.#current.get(key);
		if (now !== undefined && now.revision <= at) return now;
		return this.#old.get(key)?.findLast((v) => v.from <= at)?.entry;
	}

	list(prefix: string, page: { readonly after?: string; readonly limit?: number; readonly at?: bigint }): Page {
		const { limit = Infinity, at } = page;
		const start = page.after === undefined || page.after < prefix ? prefix : `${page.after}\0`;
		if (at !== undefined && at < this.#revision) return this.#listAt(prefix, start, limit, at);
		if (limit === Infinity && start === prefix) {
			const entries = this.#lists.of(prefix, () => this.#between(start, endOf(prefix), limit));
			return { entries, revision: this.#revision, more: false, remaining: 0 };
		}
		const entries = this.#between(start, endOf(prefix), limit);
		const remaining = limit === Infinity ? 0 : this.#live.rank(endOf(prefix)) - this.#live.rank(start) - entries.length;
		return { entries, revision: this.#revision, more: remaining > 0, remaining };
	}

	#between(start: string, end: string, limit: number): readonly Entry[] {
		return this.#live.between(start, end, limit).map((key) => this.#current.get(key) as Entry);
	}

	#listAt(prefix: string, start: string, limit: number, at: bigint): Page {
		this.#check(at);
		const entries: Entry[] = [];
		let remaining = 0;
		for (const key of merged(this.#live.from(start), this.#dead.from(start))) {
			if (!key.startsWith(prefix)) break;
			const entry = this.#at(key, at);
			if (entry === undefined) continue;
			if (entries.length < limit) entries.push(entry);
			else remaining++;
		}
		return { entries, revision: at, more: remaining > 0, remaining };
	}

	#check(at: bigint): void {
		if (at < this.#compacted) throw compactedError(at, this.#compacted);
	}

	/** Forgets what only reads before this revision could see. */
	compact(before: bigint): void {
		if (before <= this.#compacted) return;
		this.#compacted = before < this.#revision ? before : this.#revision;
		for (const [key, old] of this.#old) {
			const now = this.#current.get(key);
			const keepFrom = old.findLastIndex((v) => v.from <= this.#compacted);
			const nowCovers = now !== undefined && now.revision <= this.#compacted;
			const kept = nowCovers ? [] : old.slice(Math.max(0, keepFrom));
			if (kept.every((v) => v.entry === undefined)) {
				this.#old.delete(key);
				if (now === undefined) this.#dead.delete(key);
			} else this.#old.set(key, kept);
		}
	}
}

export function compactedError(at: bigint, compacted: bigint): AppError {
	return new AppError('OutOfRange', `Revision ${at} is compacted; the oldest readable one is ${compacted}`);
}

/** A write that expected another revision of the key than it has. */
export function expectationError(key: string, now: bigint | 'absent', expected: bigint | 'absent'): AppError {
	return new AppError('Aborted', `The key "${key}" is at revision ${now}, not ${expected}`);
}

/** Two sorted streams without common elements, as one. */
function* merged(a: Iterator<string>, b: Iterator<string>): Generator<string, void> {
	let [x, y] = [a.next(), b.next()];
	while (!x.done || !y.done) {
		if (y.done || (!x.done && x.value < y.value)) {
			yield x.value as string;
			x = a.next();
		} else {
			yield y.value as string;
			y = b.next();
		}
	}
}
