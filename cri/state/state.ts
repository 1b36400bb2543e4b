/**
 * All sandboxes and containers of this shim, in memory: one snapshot of the engine at start, then events. What an event or a
 * change of our own touched is marked stale and read again before it is shown, so that no read is older than an acknowledged change.
 */
import { AppError, codeOf } from '../../base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { ContainerInspect } from '../engine/types.ts';
import { type Live, liveOf } from './live.ts';
import type { OomKills } from './oom-kills.ts';
import type { ContainerRecord, SandboxRecord } from './records.ts';

/** A record with the engine's view of it. */
export interface Tracked<R> {
	readonly record: R;
	readonly live: Live;
	/** The user, image and resources that the engine settled on. */
	readonly inspect: ContainerInspect | undefined;
}

class Entry<R extends { readonly id: string }> implements Tracked<R> {
	record: R;
	live: Live;
	inspect: ContainerInspect | undefined;
	/** Counts changes; `seen` is the count that `live` covers. */
	changes = 0;
	seen = -1;
	/** Counts exits that were told during a read. */
	exits = 0;
	reading: Promise<void> | undefined;
	/** An event or the kernel told so; it stays. */
	outOfMemory = false;
	constructor(record: R, live: Live) {
		this.record = record;
		this.live = live;
	}
}

export class RuntimeState {
	readonly #engine: Engine;
	readonly #oomKills: Pick<OomKills, 'has'> | undefined;
	readonly #sandboxes = new Map<string, Entry<SandboxRecord>>();
	readonly #containers = new Map<string, Entry<ContainerRecord>>();

	/** @param oomKills asked where the engine says nothing of it */
	constructor(engine: Engine, oomKills?: Pick<OomKills, 'has'>) {
		this.#engine = engine;
		this.#oomKills = oomKills;
	}

	addSandbox(record: SandboxRecord, inspect?: ContainerInspect): void {
		this.#sandboxes.set(record.id, withInspect(new Entry(record, { state: 'created' }), inspect));
	}
	/** A sandbox that was just started: nothing has happened to it since, so no read is due. */
	addStarted(record: SandboxRecord, pid: number, startedAtNanos: bigint): void {
		const startedAtMs = Number(startedAtNanos / 1_000_000n);
		const entry = new Entry(record, { state: 'running', pid, startedAtMs, startedAtNanos });
		entry.seen = 0;
		this.#sandboxes.set(record.id, entry);
	}
	addContainer(record: ContainerRecord, inspect?: ContainerInspect): void {
		this.#containers.set(record.id, withInspect(new Entry(record, { state: 'created' }), inspect));
	}
	/** A container that was just made: nothing can have happened to it yet, so no read is due. */
	addCreated(record: ContainerRecord): void {
		const entry = new Entry(record, { state: 'created' });
		entry.seen = 0;
		this.#containers.set(record.id, entry);
	}

	/** The same container with other limits. */
	replaceContainer(record: ContainerRecord): void {
		const entry = this.#containers.get(record.id);
		if (entry !== undefined) entry.record = record;
	}

	deleteSandbox(id: string): void {
		this.#sandboxes.delete(id);
	}
	deleteContainer(id: string): void {
		this.#containers.delete(id);
	}

	/** Something changed: the next read asks the engine. */
	touch(id: string): void {
		const entry = this.#entry(id);
		if (entry !== undefined) entry.changes++;
	}
	/**
	 * One of its processes was killed for want of memory. Where an engine hears of the end first, it never says so of the container, though it tells the event
	 * (moby keeps what it knows at the exit).
	 */
	touchOutOfMemory(id: string): void {
		const entry = this.#entry(id);
		if (entry === undefined) return;
		entry.outOfMemory = true;
		entry.changes++;
	}
	/** It has ended: no news of what was read as ended. Before it could run again a start would be told. */
	touchEnded(id: string): void {
		const entry = this.#entry(id);
		if (entry === undefined) return;
		if (entry.reading !== undefined) entry.exits++;
		else if (entry.live.state !== 'exited') entry.changes++;
	}
	/** It has started: no news of what was read as running. Before it could run again an end would be told. */
	touchStarted(id: string): void {
		const entry = this.#entry(id);
		if (entry !== undefined && (entry.reading !== undefined || entry.live.state !== 'running')) entry.changes++;
	}
	/** Soon somebody will ask for what has changed: the engine is asked already. */
	readAhead(id: string): void {
		const entry = this.#entry(id);
		if (entry !== undefined) this.#fresh(entry).catch(() => {}); // whoever asks is told
	}
	touchAll(): void {
		for (const entry of this.#sandboxes.values()) entry.changes++;
		for (const entry of this.#containers.values()) entry.changes++;
	}

	/** By id or by a start of it that only one has. Throws NotFound. */
	async sandbox(id: string): Promise<Tracked<SandboxRecord>> {
		return this.#fresh(find(this.#sandboxes, id, 'pod sandbox'));
	}
	async container(id: string): Promise<Tracked<ContainerRecord>> {
		return this.#fresh(find(this.#containers, id, 'container'));
	}
	/** Without asking the engine. Throws NotFound. */
	knownContainer(id: string): Tracked<ContainerRecord> {
		return find(this.#containers, id, 'container');
	}
	/** Without asking the engine; undefined where there is none. */
	peekSandbox(id: string): Tracked<SandboxRecord> | undefined {
		return findOptional(this.#sandboxes, id);
	}
	peekContainer(id: string): Tracked<ContainerRecord> | undefined {
		return findOptional(this.#containers, id);
	}

	/** The engine is asked for those that are wanted alone: another's may be busy. */
	async sandboxes(wanted: (record: SandboxRecord) => boolean = () => true): Promise<readonly Tracked<SandboxRecord>[]> {
		return this.#allFresh([...this.#sandboxes.values()].filter((e) => wanted(e.record)));
	}
	async containers(sandboxId?: string): Promise<readonly Tracked<ContainerRecord>[]> {
		return this.#allFresh(this.#containersOf(sandboxId));
	}
	/** The same of those that are wanted. */
	async containersWhere(wanted: (record: ContainerRecord) => boolean): Promise<readonly Tracked<ContainerRecord>[]> {
		return this.#allFresh([...this.#containers.values()].filter((e) => wanted(e.record)));
	}
	/** Records alone, without asking the engine. */
	containerRecords(sandboxId?: string): readonly ContainerRecord[] {
		return this.#containersOf(sandboxId).map((e) => e.record);
	}
	sandboxRecords(): readonly SandboxRecord[] {
		return [...this.#sandboxes.values()].map((e) => e.record);
	}

	#entry(id: string): Entry<SandboxRecord> | Entry<ContainerRecord> | undefined {
		return this.#sandboxes.get(id) ?? this.#containers.get(id);
	}

	#containersOf(sandboxId: string | undefined): readonly Entry<ContainerRecord>[] {
		const all = [...this.#containers.values()];
		return sandboxId === undefined ? all : all.filter((e) => e.record.sandboxId === sandboxId);
	}

	async #allFresh<E extends Entry<SandboxRecord> | Entry<ContainerRecord>>(entries: readonly E[]): Promise<readonly E[]> {
		await Promise.all(entries.filter((e) => e.seen < e.changes).map((e) => this.#fresh(e)));
		return entries;
	}

	async #fresh<E extends Entry<SandboxRecord> | Entry<ContainerRecord>>(entry: E): Promise<E> {
		while (entry.seen < entry.changes) {
			entry.reading ??= this.#read(entry).finally(() => {
				entry.reading = undefined;
			});
			await entry.reading;
		}
		return entry;
	}

	async #read(entry: Entry<SandboxRecord> | Entry<ContainerRecord>): Promise<void> {
		const { changes, exits } = entry;
		const inspect = await this.#inspect(entry.record.id);
		// Gone from the engine behind our back: the record stays until the caller removes it, its process is surely over.
		const live: Live = inspect === undefined ? { state: 'unknown' } : liveOf(inspect);
		if (live.state === 'exited' && !live.oomKilled && (await this.#oomKills?.has(entry.record.id))) entry.outOfMemory = true;
		entry.inspect = inspect ?? entry.inspect;
		entry.live = told(entry, live);
		entry.seen = changes;
		if (entry.exits !== exits && entry.live.state !== 'exited') entry.changes++;
	}

	/** Lists show many containers: one answer that is lost must not take them all away. A call that hung is not tried again. */
	async #inspect(id: string): Promise<ContainerInspect | undefined> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${id}/json` });
			} catch (error) {
				if (codeOf(error) === 'NotFound') return undefined;
				if (attempt === READS || codeOf(error) === 'DeadlineExceeded') throw error;
			}
		}
	}
}

const READS = 3;

function told({ outOfMemory }: { readonly outOfMemory: boolean }, live: Live): Live {
	return outOfMemory && live.state === 'exited' ? { ...live, oomKilled: true } : live;
}

function withInspect<R extends { readonly id: string }>(entry: Entry<R>, inspect: ContainerInspect | undefined): Entry<R> {
	if (inspect === undefined) return entry;
	entry.inspect = inspect;
	entry.live = liveOf(inspect);
	entry.seen = entry.changes;
	return entry;
}

function find<V>(map: ReadonlyMap<string, V>, id: string, what: string): V {
	const found = findOptional(map, id);
	if (found === undefined) throw new AppError('NotFound', `There is no ${what} "${id}"`);
	return found;
}

function findOptional<V>(map: ReadonlyMap<string, V>, id: string): V | undefined {
	const exact = map.get(id);
	if (exact !== undefined || id === '') return exact;
	const matches = [...map.keys()].filter((k) => k.startsWith(id));
	return matches.length === 1 ? map.get(matches[0] as string) : undefined;
}
