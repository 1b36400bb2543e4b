/** The watch contract on each store: writers, watchers that leave and resume at random, compaction and restarts, all at once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import { openEtcdStore } from '../../controlplane/storage/etcd/etcd-store.ts';
import { createMemoryStore } from '../../controlplane/storage/memory-store.ts';
import { openSqliteStore } from '../../controlplane/storage/sqlite-store.ts';
import type { Change, Store } from '../../controlplane/storage/store.ts';
import { plainForm } from '../suites/plain-form.ts';
import { textOf, value } from '../suites/store-suite.ts';
import { Etcd } from '../tools/etcd.ts';
import { Seeded } from '../tools/seeded.ts';
import type { Result } from './campaign.ts';
import { checkBefore, checkWatches, type Committed, type Listed, type Segment } from './watch-history.ts';

export interface WatchPlan {
	readonly events: number;
	readonly seed: number;
}

/** The store that writers use, the one that watchers use, and how both begin anew. */
interface Pair {
	readonly writing: Store;
	readonly watching: Store;
}

interface Site extends AsyncDisposable {
	open(): Promise<Pair>;
}

const WRITERS = 8;
const KEYS = 200;
const PREFIXES = ['/w/', '/w/a/', '/w/b/', '/w/a/1', '/elsewhere/'] as const;
const WATCHERS = 15;
const COMPACT_EVERY = 2000;
const RESTARTS = 3;

const memory = (): Promise<Site> => {
	const store = createMemoryStore(realClock);
	return Promise.resolve({
		open: () => Promise.resolve({ writing: store, watching: store }),
		[Symbol.asyncDispose]: () => store.close(),
	});
};

const sqlite = async (): Promise<Site> => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-watch-'));
	let store: Store | undefined;
	return {
		async open() {
			await store?.close();
			store = await openSqliteStore({ path: join(dir, 'state.db'), clock: realClock });
			return { writing: store, watching: store };
		},
		async [Symbol.asyncDispose]() {
			await store?.close();
			await rm(dir, { recursive: true, force: true });
		},
	};
};

const etcd = async (): Promise<Site> => {
	const server = await Etcd.start({ version: '3.6' });
	const stores: Store[] = [];
	return {
		async open() {
			const open = (): Promise<Store> =>
				openEtcdStore({ endpoints: server.endpoints, form: plainForm('/registry/'), clock: realClock, log: noLog });
			await Promise.all(stores.splice(0).map((store) => store.close()));
			const pair = { writing: await open(), watching: await open() };
			stores.push(pair.writing, pair.watching);
			return pair;
		},
		async [Symbol.asyncDispose]() {
			await Promise.all(stores.map((store) => store.close()));
			await server[Symbol.asyncDispose]();
		},
	};
};

export const SITES = { memory, sqlite, etcd };

export async function watchContract(name: keyof typeof SITES, plan: WatchPlan, wrap = (store: Store): Store => store): Promise<Result> {
	const started = performance.now();
	await using site = await SITES[name]();
	const run = new Run(plan, wrap);
	for (let round = 0; round < RESTARTS; round++) await run.round(await site.open(), plan.events / RESTARTS);
	const problems = [...checkWatches(run.log, run.segments, run.lists), ...checkBefore(run.log, run.segments)];
	const told = run.segments.reduce((sum, s) => sum + s.told.length, 0);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	return {
		text: `${name}: ${run.log.length} changes told ${told} times to ${WATCHERS} watchers that resumed ${run.resumed} times and listed ${run.lists.length} times, ${run.compactions} compactions, ${RESTARTS - 1} restarts, in ${seconds} s: ${problems.length === 0 ? 'the contract holds' : `${problems.length} problems`}`,
		problems,
	};
}

class Run {
	readonly log: Committed[] = [];
	readonly segments: Segment[] = [];
	readonly lists: Listed[] = [];
	resumed = 0;
	compactions = 0;
	readonly #chance: Seeded;
	readonly #wrap: (store: Store) => Store;
	#written = 0;

	constructor({ seed }: WatchPlan, wrap: (store: Store) => Store) {
		this.#chance = new Seeded(seed);
		this.#wrap = wrap;
	}

	async round({ writing, watching }: Pair, events: number): Promise<void> {
		const stop = new AbortController();
		const subject = this.#wrap(watching);
		const target = { revision: undefined as bigint | undefined };
		const watchers = Array.from({ length: WATCHERS }, (_, i) =>
			this.#watcher(subject, PREFIXES[i % PREFIXES.length] as string, target, stop.signal),
		);
		const until = this.#written + Math.floor(events);
		await Promise.all(Array.from({ length: WRITERS }, () => this.#writer(writing, until)));
		this.log.sort((a, b) => (a.revision < b.revision ? -1 : 1));
		target.revision = this.log.at(-1)?.revision ?? 0n;
		// One more change under every prefix lets each watcher see that it has come to the end.
		for (const prefix of PREFIXES) await this.#write(writing, `${prefix}end`);
		this.log.sort((a, b) => (a.revision < b.revision ? -1 : 1));
		await Promise.all(watchers);
		stop.abort();
	}

	async #writer(store: Store, until: number): Promise<void> {
		while (this.#written < until) {
			if (++this.#written % COMPACT_EVERY === 0) {
				this.compactions++;
				await store.compact(store.revision() - BigInt(this.#chance.between(0, 300)));
			}
			const key =
				this.#chance.random() < 0.1
					? `/elsewhere/${this.#chance.between(0, 9)}`
					: `/w/${this.#chance.pick(['a', 'b', 'c'])}/${this.#chance.between(0, KEYS)}`;
			await this.#write(store, key);
			// A store that answers at once must not keep the watchers from running.
			if (this.#written % WRITERS === 0) await new Promise(setImmediate);
		}
	}

	async #write(store: Store, key: string): Promise<void> {
		const entry = store.get(key);
		const text = entry !== undefined && this.#chance.random() < 0.3 ? undefined : `${this.#written}.${this.#chance.between(0, 999_999)}`;
		try {
			const revision = await store.commit([
				{ key, expect: entry?.revision ?? 'absent', ...(text === undefined ? {} : { value: value(text) }) },
			]);
			this.log.push({ revision, key, value: text });
		} catch (error) {
			if (codeOf(error) !== 'Aborted') throw error;
		}
	}

	/** Watches until it has come past the target, leaving and resuming at random moments, listing where its place is compacted. */
	async #watcher(store: Store, prefix: string, target: { readonly revision: bigint | undefined }, signal: AbortSignal): Promise<void> {
		let segment = this.#begin(store, prefix);
		const done = (): boolean => target.revision !== undefined && segment.to > target.revision;
		while (!done()) {
			const leave = new AbortController();
			let batches = this.#chance.between(1, 40);
			try {
				for await (const { revision, changes } of store.watch(prefix, segment.to, AbortSignal.any([leave.signal, signal]))) {
					segment.told.push(...changes.map(told));
					segment.to = revision;
					// A slow reader now and then: the others must not notice, and it must not lose anything.
					if (this.#chance.random() < 0.05) await new Promise((resolve) => setTimeout(resolve, this.#chance.between(0, 20)));
					if (done() || --batches === 0) break;
				}
				this.resumed++;
				// Away for a while: what happened meanwhile has to be told on return.
				if (this.#chance.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, this.#chance.between(0, 5)));
			} catch (error) {
				if (codeOf(error) !== 'OutOfRange') throw error;
				segment = this.#begin(store, prefix);
			} finally {
				leave.abort();
			}
		}
	}

	#begin(store: Store, prefix: string): Segment {
		const { entries, revision } = store.list(prefix, {});
		this.lists.push({ prefix, revision, values: new Map(entries.map((e) => [e.key, textOf(e.value) ?? ''])) });
		const segment: Segment = { prefix, from: revision, to: revision, told: [] };
		this.segments.push(segment);
		return segment;
	}
}

function told({ key, revision, before, after }: Change): {
	key: string;
	revision: bigint;
	value: string | undefined;
	before: string | undefined;
} {
	return { key, revision, value: textOf(after?.value), before: textOf(before?.value) };
}
