/** A Store that serves from memory and hands commits, grouped, to a Durability. A write becomes visible only once it is durable. */
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { abortable } from '../../base/abort.ts';
import { ChangeRing } from './change-ring.ts';
import { compactGradually } from './compaction.ts';
import type { Contents } from './contents.ts';
import type { Durability, DurableCommit, DurableWrite } from './durability.ts';
import type { LiveSealing } from './encryption/live-sealing.ts';
import type { Expiry } from './expiry.ts';
import type { Entry, Follower, Page, Store, WatchBatch, Write } from './store.ts';
import { expectationError, type Versions } from './versions.ts';

interface Deps {
	readonly clock: Clock;
	readonly durability: Durability;
	/** What was durable when the store was opened. */
	readonly contents: Contents;
	/** Called once when durability is lost; it must end the process. */
	readonly fatal: (error: AppError) => void;
}

interface Pending {
	readonly commit: DurableCommit;
	readonly done: PromiseWithResolvers<bigint>;
}

/** Most writes change one key, which is not to end. */
function durable({ key, value, ttlMs }: Write, now: number): DurableWrite {
	return { key, value, expiresAt: ttlMs === undefined ? undefined : now + ttlMs };
}

/** How often keys whose time has come are looked for, and how many go at once. */
const SWEEP_MS = 10_000;
const SWEEP_KEYS = 1000;
/** Of a durable group, so many writes become visible and are answered in a turn of the loop: what each of them goes on with is the most of its work. */
const PUBLISHED = 16;
/** What changes may hold before the oldest are compacted ahead of their time. */
const MAX_HISTORY_BYTES = 64 * 1024 * 1024;

export class ServedStore implements Store {
	readonly shared = false;
	readonly sealing: LiveSealing | undefined;
	readonly diskBytes?: () => Promise<number>;
	readonly #deps: Deps;
	readonly #versions: Versions;
	readonly #ring: ChangeRing;
	readonly #expiry: Expiry;
	/** The newest revision given out, durable or not. */
	#assigned: bigint;
	#queue: Pending[] = [];
	/** Keys with a commit under way, and that commit's end: no more than that, since tables that a Map has outgrown keep what they held for long. */
	readonly #underWay = new Map<string, Promise<bigint>>();
	#flushing: Promise<void> | undefined;
	/** Some of the group that became durable last are not visible yet. */
	#publishing: PromiseWithResolvers<void> | undefined;
	#failure: AppError | undefined;
	/** Its end, once it has been asked for. */
	#closing: Promise<void> | undefined;
	#sweep: Disposable | undefined;

	constructor(deps: Deps) {
		this.#deps = deps;
		const { durability } = deps;
		if (durability.diskBytes !== undefined) this.diskBytes = () => durability.diskBytes?.() ?? Promise.resolve(0);
		this.sealing = durability.sealing;
		this.sealing?.own({ newest: () => this.#assigned });
		this.#versions = deps.contents.versions;
		this.#expiry = deps.contents.expiry;
		this.#assigned = this.#versions.revision;
		this.#ring = new ChangeRing(this.#assigned, () => this.#versions.revision);
		this.#armSweep();
	}

	revision(): bigint {
		return this.#versions.revision;
	}
	compacted(): bigint {
		return this.#versions.compacted;
	}

	async fresh(min: bigint | undefined, signal: AbortSignal): Promise<bigint> {
		for (;;) {
			const { revision } = this.#versions;
			const coming = this.#publishing?.promise ?? this.#flushing;
			if (min === undefined || revision >= min || coming === undefined) return revision;
			await abortable(coming, signal);
		}
	}

	get(key: string, at?: bigint): Entry | undefined {
		return this.#versions.get(key, at);
	}

	list(prefix: string, page: { readonly after?: string; readonly limit?: number; readonly at?: bigint }): Page {
		return this.#versions.list(prefix, page);
	}

	watch(prefix: string, from: bigint, signal: AbortSignal): AsyncIterable<WatchBatch> {
		return this.#ring.watch(prefix, from, signal);
	}

	follow(prefix: string, from: bigint, wake: () => void): Follower {
		return this.#ring.follow(prefix, from, wake);
	}

	async commit(writes: readonly Write[], signal?: AbortSignal): Promise<bigint> {
		signal?.throwIfAborted();
		// All of them free in one turn: while one is waited for, another may be taken.
		for (let busy; (busy = this.#busy(writes)) !== undefined; ) await busy.catch(() => undefined);
		signal?.throwIfAborted();
		this.#checkOpen();
		for (const write of writes) this.#checkExpected(write);
		const now = this.#deps.clock.now();
		const commit: DurableCommit = {
			revision: ++this.#assigned,
			writes: writes.map((write) => durable(write, now)),
		};
		const pending: Pending = { commit, done: Promise.withResolvers() };
		for (const { key } of writes) this.#underWay.set(key, pending.done.promise);
		this.#queue.push(pending);
		this.#flushing ??= this.#flush();
		return pending.done.promise;
	}

	/** The end of a commit under way that has one of the keys. */
	#busy(writes: readonly Write[]): Promise<bigint> | undefined {
		for (const { key } of writes) {
			const busy = this.#underWay.get(key);
			if (busy !== undefined) return busy;
		}
		return undefined;
	}

	#checkOpen(): void {
		if (this.#failure !== undefined) throw this.#failure;
		if (this.#closing !== undefined) throw new AppError('Unavailable', 'The store is closed');
	}

	#checkExpected({ key, expect }: Write): void {
		const now = this.#versions.current(key)?.revision ?? 'absent';
		if (now !== expect) throw expectationError(key, now, expect);
	}

	/** One group at a time: what arrives while one is being made durable forms the next. */
	async #flush(): Promise<void> {
		const { durability } = this.#deps;
		// Lets writers of the same turn of the loop join the first group.
		await Promise.resolve();
		while (this.#queue.length > 0) {
			await durability.gathered?.();
			const group = this.#queue;
			this.#queue = [];
			try {
				await durability.append(group.map((p) => p.commit));
			} catch (cause) {
				if (cause instanceof AppError && cause.code === 'ResourceExhausted') {
					this.#refuse(cause, group);
					continue;
				}
				this.#fail(new AppError('DataLoss', 'A write could not be made durable', { cause }), [...group, ...this.#queue]);
				break;
			}
			await this.#publishing?.promise;
			this.#publishFrom(group, 0);
		}
		this.#flushing = undefined;
	}

	#publish({ revision, writes }: DurableCommit): void {
		const changes = this.#versions.apply(revision, writes);
		for (const { key, expiresAt } of writes) {
			this.#underWay.delete(key);
			this.#expiry.set(key, expiresAt);
		}
		this.#ring.push(changes);
	}

	/** In several turns where there are many, in order. */
	#publishFrom(group: readonly Pending[], from: number): void {
		const to = Math.min(group.length, from + PUBLISHED);
		for (let i = from; i < to; i++) this.#publish((group[i] as Pending).commit);
		for (let i = from; i < to; i++) {
			const { commit, done } = group[i] as Pending;
			done.resolve(commit.revision);
		}
		if (to < group.length) {
			this.#publishing ??= Promise.withResolvers();
			setImmediate(() => this.#publishFrom(group, to));
			return;
		}
		if (this.#ring.historyBytes > MAX_HISTORY_BYTES) this.#forgetOldest();
		this.#publishing?.resolve();
		this.#publishing = undefined;
	}

	/** No room for them: as if they had never been asked for. Their revisions are not used again. */
	#refuse(error: AppError, group: readonly Pending[]): void {
		for (const { commit, done } of group) {
			for (const { key } of commit.writes) this.#underWay.delete(key);
			done.reject(error);
		}
	}

	#fail(error: AppError, unanswered: readonly Pending[]): void {
		this.#failure = error;
		this.#queue = [];
		this.#underWay.clear();
		for (const { done } of unanswered) done.reject(error);
		this.#deps.fatal(error);
	}

	#armSweep(): void {
		this.#sweep = this.#deps.clock.after(SWEEP_MS, () => {
			const again = (): void => {
				if (this.#closing === undefined) this.#armSweep();
			};
			this.#expire().then(again, again);
		});
	}

	async #expire(): Promise<void> {
		for (let more = true; more && this.#closing === undefined; ) {
			const due = this.#expiry.due(this.#deps.clock.now(), SWEEP_KEYS);
			const outcomes = await Promise.allSettled(
				due.map(async (key) => {
					const entry = this.#versions.current(key);
					if (entry !== undefined) await this.commit([{ key, expect: entry.revision }]);
				}),
			);
			more = due.length === SWEEP_KEYS && outcomes.some(({ status }) => status === 'fulfilled');
		}
	}

	compact(before: bigint): Promise<void> {
		return compactGradually(() => ({ versions: this.#versions, ring: this.#ring }), before);
	}

	/** A sixteenth: few at a time take no long turn. */
	#forgetOldest(): void {
		this.#versions.compact(this.#ring.revisionAt(this.#ring.size >> 4) ?? this.#versions.compacted);
		this.#ring.compact(this.#versions.compacted);
	}

	close(): Promise<void> {
		return (this.#closing ??= this.#close());
	}

	async #close(): Promise<void> {
		this.#sweep?.[Symbol.dispose]();
		await this.#flushing;
		await this.#publishing?.promise;
		await this.#deps.durability.close();
		await this.#deps.contents.pages.close();
	}
}
