/** All keys with their current and, until compaction, their older versions: exact reads at any revision not yet compacted. */
import { AppError } from '../../base/errors.ts';
import { endOf, SortedKeys } from './sorted-keys.ts';
import { KnownLists } from './known-lists.ts';
import type { Change, Encoded, Entry, Page } from './store.ts';
import { StoredVersion } from './stored-version.ts';
import type { ValuePages } from './value-pages.ts';

/** What a key held from `from` on until the next version; no entry: deleted. */
interface Version {
	readonly from: bigint;
	readonly entry: StoredVersion | undefined;
}

/** With every write so many objects are looked at while pages are thin: more than come in at a time, so that it ends. */
const TIDIED_A_WRITE = 16;

export class Versions {
	readonly #pages: ValuePages;
	readonly #current = new Map<string, StoredVersion>();
	readonly #live = new SortedKeys();
	readonly #lists = new KnownLists();
	/** Keys deleted since the last compaction. */
	readonly #dead = new SortedKeys();
	/** Versions before the current one, oldest first. */
	readonly #old = new Map<string, Version[]>();
	/** Where versions ended, in order: what compaction has to look at. */
	#ends: { readonly revision: bigint; readonly key: string }[] = [];
	/** Goes round all current versions. */
	#tidied: Iterator<StoredVersion> | undefined;
	#revision: bigint;
	#compacted: bigint;

	constructor(revision: bigint, pages: ValuePages) {
		this.#pages = pages;
		this.#revision = revision;
		this.#compacted = revision;
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

	/** Takes in what was there before the first change. */
	load({ key, revision, value }: Entry): void {
		this.#current.set(key, new StoredVersion(key, revision, value, this.#pages));
		this.#live.add(key);
	}

	/** Applies one commit and says what it changed. A delete of an absent key changes nothing. */
	apply(revision: bigint, writes: readonly { readonly key: string; readonly value: Encoded | undefined }[]): Change[] {
		const changes: Change[] = [];
		for (const { key, value } of writes) {
			const before = this.#current.get(key);
			if (before === undefined && value === undefined) continue;
			this.#lists.changed(key);
			if (before !== undefined) this.#end(key, revision, before);
			if (value === undefined) {
				this.#current.delete(key);
				this.#live.delete(key);
				this.#dead.add(key);
				this.#old.get(key)?.push({ from: revision, entry: undefined });
				changes.push({ key, revision, before: before as StoredVersion });
				continue;
			}
			const after = new StoredVersion(key, revision, value, this.#pages);
			this.#current.set(key, after);
			if (before === undefined) {
				this.#live.add(key);
				this.#dead.delete(key);
				changes.push({ key, revision, after });
			} else changes.push({ key, revision, before, after });
		}
		this.#revision = revision;
		if (this.#pages.wasteful) this.#tidy(writes.length * TIDIED_A_WRITE);
		return changes;
	}

	#end(key: string, revision: bigint, before: StoredVersion): void {
		const old = this.#old.get(key);
		const version = { from: before.revision, entry: before };
		if (old === undefined) this.#old.set(key, [version]);
		else old.push(version);
		this.#ends.push({ revision, key });
	}

	#tidy(count: number): void {
		for (let i = 0; i < count; i++) {
			const next = (this.#tidied ??= this.#current.values()).next();
			if (next.done === true) this.#tidied = undefined;
			else next.value.moveTogether(this.#pages);
		}
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
			const entries = this.#lists.of(prefix) ?? this.#lists.keep(prefix, this.#between(start, endOf(prefix), limit));
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
		for (const key of merged(this.#live.from(start), this.#dead.from(start))) {
			if (!key.startsWith(prefix)) break;
			const entry = this.#at(key, at);
			if (entry === undefined) continue;
			if (entries.length < limit) entries.push(entry);
			else return { entries, revision: at, more: true, remaining: Math.max(1, this.#live.rank(endOf(prefix)) - this.#live.rank(key)) };
		}
		return { entries, revision: at, more: false, remaining: 0 };
	}

	#check(at: bigint): void {
		if (at < this.#compacted) throw compactedError(at, this.#compacted);
	}

	/** Forgets what only reads before this revision could see. */
	compact(before: bigint): void {
		if (before <= this.#compacted) return;
		this.#compacted = before < this.#revision ? before : this.#revision;
		let gone = 0;
		for (const { key, revision } of this.#ends) {
			if (revision > this.#compacted) break;
			gone++;
			this.#prune(key);
		}
		this.#ends = this.#ends.slice(gone);
	}

	/** Drops the versions of a key that ended, and its deletion if nothing came before it. */
	#prune(key: string): void {
		const old = this.#old.get(key);
		if (old === undefined) return;
		const now = this.#current.get(key);
		let keepFrom = old.findLastIndex((v) => v.from <= this.#compacted);
		if (now !== undefined && now.revision <= this.#compacted) keepFrom = old.length;
		else if (keepFrom >= 0 && old[keepFrom]?.entry === undefined) keepFrom++;
		for (const { entry } of old.splice(0, Math.max(0, keepFrom))) entry?.drop(this.#pages);
		if (old.length > 0) return;
		this.#old.delete(key);
		if (now === undefined) this.#dead.delete(key);
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
