/** The keys of etcd below a prefix, in memory: loaded once, then kept by a watch that resumes by itself. */
import { delayMs } from '../../../base/backoff.ts';
import { linked, type Linked } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Event, KeyValue } from '../../../wire/gen/etcd-kv.ts';
import type { RangeResponse, WatchRequest, WatchResponse } from '../../../wire/gen/etcd-rpc.ts';
import { ChangeRing } from '../change-ring.ts';
import { compactGradually } from '../compaction.ts';
import type { Entry } from '../store.ts';
import { ValuePages } from '../value-pages.ts';
import { Versions } from '../versions.ts';
import type { Endpoints } from './endpoints.ts';
import { Outbox } from './outbox.ts';
import { below, EVERY_KEY, range, watching } from './requests.ts';
import type { StoredForm } from './stored-form.ts';

interface Deps {
	readonly endpoints: Endpoints;
	readonly form: StoredForm;
	readonly clock: Clock;
	readonly log: Log;
	/** False for servers whose progress answers may overtake events: then every key is watched, and nothing has to be asked. */
	readonly asksProgress: boolean;
}

interface Waiter {
	readonly revision: bigint;
	readonly resolve: () => void;
}

const PAGE = 500n;
const RESUME = { initialMs: 50, maxMs: 5000, jitter: 0.5 };
/** Why a watch ends that does not fail. */
const READS_AGAIN = new AppError('Aborted', 'everything is read again');
/** How often progress is asked for while somebody waits (upstream's progressRequestPeriod). */
const ASK_MS = 100;

export class Mirror {
	readonly #deps: Deps;
	#versions: Versions;
	readonly ring: ChangeRing;
	readonly #waiters = new Set<Waiter>();
	readonly #stop = new AbortController();
	#outbox: Outbox<WatchRequest> | undefined;
	#asking: Disposable | undefined;
	#running: Promise<void> = Promise.resolve();
	/** Keys whose values could not be read. */
	readonly #unread: Set<string>;
	#watch: Linked | undefined;
	/** Everything is read again before a watch goes on; so until that was done. */
	#readsAgain = false;

	private constructor(deps: Deps, versions: Versions, unread: Set<string>) {
		this.#deps = deps;
		this.#unread = unread;
		this.#versions = versions;
		this.ring = new ChangeRing(versions.revision, () => this.#versions.revision);
	}

	static async open(deps: Deps): Promise<Mirror> {
		const unread = new Set<string>();
		const mirror = new Mirror(deps, await load(deps, unread), unread);
		mirror.#running = mirror.#run(mirror.#stop.signal);
		return mirror;
	}

	get versions(): Versions {
		return this.#versions;
	}

	/** Resolves once the mirror shows the revision; `ask`: no event may ever come for it, so progress is asked for. */
	async shows(revision: bigint, ask: boolean, signal?: AbortSignal): Promise<void> {
		if (this.#versions.revision >= revision) return;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const waiter: Waiter = { revision, resolve };
		this.#waiters.add(waiter);
		const onAbort = (): void => reject(signal?.reason as Error);
		const onStop = (): void => reject(closedError());
		signal?.addEventListener('abort', onAbort, { once: true });
		this.#stop.signal.addEventListener('abort', onStop, { once: true });
		if (signal?.aborted) onAbort();
		if (this.#stop.signal.aborted) onStop();
		if (ask && this.#deps.asksProgress) this.#ask();
		try {
			await promise;
		} finally {
			this.#waiters.delete(waiter);
			signal?.removeEventListener('abort', onAbort);
			this.#stop.signal.removeEventListener('abort', onStop);
		}
	}

	/** What could not be read with the keys there were may be now, and nobody has seen it: a watch that goes on never would. */
	readAgain(): void {
		if (this.#unread.size === 0) return;
		this.#readsAgain = true;
		this.#watch?.abort(READS_AGAIN);
	}

	compact(before: bigint): Promise<void> {
		return compactGradually(() => this, before);
	}

	async close(): Promise<void> {
		this.#stop.abort(closedError());
		this.#asking?.[Symbol.dispose]();
		await this.#running;
	}

	/** Asks now and, as a server that is behind does not answer, again and again while somebody waits. */
	#ask(): void {
		if (this.#asking !== undefined) return;
		this.#outbox?.push({ requestUnion: { $case: 'progressRequest', value: {} } });
		this.#asking = this.#deps.clock.after(ASK_MS, () => {
			this.#asking = undefined;
			if (this.#waiters.size > 0 && !this.#stop.signal.aborted) this.#ask();
		});
	}

	async #run(signal: AbortSignal): Promise<void> {
		for (let attempt = 0; !signal.aborted; attempt++) {
			const { failed } = this.#deps.endpoints.current();
			try {
				while (this.#readsAgain) await this.#reload();
				await this.#follow(signal, () => (attempt = 0));
			} catch (error) {
				if (signal.aborted) return;
				if (error === READS_AGAIN) continue;
				failed();
				this.#deps.log.info('the watch on etcd is resumed', { why: messageOf(error) });
				if (codeOf(error) === 'OutOfRange') this.#readsAgain = true;
			}
			await this.#deps.clock.sleep(delayMs(RESUME, attempt, this.#deps.clock.random()), signal).catch(() => undefined);
		}
	}

	async #follow(signal: AbortSignal, established: () => void): Promise<void> {
		const { client } = this.#deps.endpoints.current();
		using link = linked(signal);
		this.#watch = link;
		const outbox = new Outbox<WatchRequest>();
		const keys = this.#deps.asksProgress ? below(this.#deps.form.prefix) : EVERY_KEY;
		outbox.push({ requestUnion: { $case: 'createRequest', value: watching(keys, this.#versions.revision + 1n) } });
		try {
			for await (const response of client.watch(outbox, { signal: link.signal })) {
				if (response.canceled) throw canceledError(response);
				if (response.created) {
					established();
					this.#outbox = outbox;
					if (this.#waiters.size > 0 && this.#deps.asksProgress) this.#ask();
				} else if (response.events.length > 0) this.#applyAll(response.events);
				else this.#advance(response.header?.revision ?? 0n);
			}
			throw new AppError('Unavailable', 'etcd ended the watch');
		} catch (error) {
			throw link.signal.aborted ? link.signal.reason : error;
		} finally {
			this.#outbox = undefined;
			outbox.end();
		}
	}

	#applyAll(events: readonly Event[]): void {
		for (let i = 0; i < events.length; ) {
			const revision = revisionOf(events[i] as Event);
			const from = i;
			while (i < events.length && revisionOf(events[i] as Event) === revision) i++;
			if (revision > this.#versions.revision) this.#apply(revision, events.slice(from, i));
		}
		this.#wake();
	}

	#apply(revision: bigint, events: readonly Event[]): void {
		const writes = [];
		for (const { type, kv } of events) {
			const key = kv === undefined ? undefined : this.#deps.form.fromKey(kv.key.toString());
			if (key === undefined) continue;
			if (type === 1) this.#unread.delete(key);
			writes.push({ key, value: type === 1 ? undefined : entryOf(this.#deps, this.#unread, key, kv as KeyValue)?.value });
		}
		this.ring.push(this.#versions.apply(revision, writes));
	}

	/** Nothing happened below the prefix up to this revision. */
	#advance(revision: bigint): void {
		if (revision > this.#versions.revision) this.#versions.apply(revision, []);
		this.#wake();
	}

	#wake(): void {
		for (const { revision, resolve } of this.#waiters) if (revision <= this.#versions.revision) resolve();
	}

	/** etcd has forgotten what the watch missed: everything is read again, and watchers of older revisions have to list again. */
	async #reload(): Promise<void> {
		this.#readsAgain = false;
		try {
			this.#versions = await load(this.#deps, this.#unread);
		} catch (error) {
			this.#readsAgain = true;
			throw error;
		}
		this.ring.forget(this.#versions.revision);
		this.#wake();
	}
}

async function load(deps: Deps, unread: Set<string>): Promise<Versions> {
	const { key, rangeEnd } = below(deps.form.prefix);
	let versions: Versions | undefined;
	let [from, revision] = [key, 0n];
	for (;;) {
		const at = { key: from, rangeEnd };
		const page: RangeResponse = await deps.endpoints.read((client, options) => client.range(range(at, { limit: PAGE, revision }), options));
		revision ||= page.header?.revision ?? 0n;
		versions ??= new Versions(revision, new ValuePages());
		for (const kv of page.kvs) {
			const inner = deps.form.fromKey(kv.key.toString());
			const entry = inner === undefined ? undefined : entryOf(deps, unread, inner, kv);
			if (entry !== undefined) versions.load(entry);
		}
		const last = page.kvs.at(-1);
		if (!page.more || last === undefined) return versions;
		from = Buffer.concat([last.key, Buffer.from([0])]);
	}
}

/** The entry, or undefined with a line in the log when its bytes cannot be read: one bad object must not take the others away. */
function entryOf({ form, log }: Deps, unread: Set<string>, key: string, kv: KeyValue): Entry | undefined {
	try {
		const value = form.fromValue(key, kv.value);
		unread.delete(key);
		return { key, revision: kv.modRevision, value };
	} catch (error) {
		unread.add(key);
		log.error('an object in etcd cannot be read', { key: kv.key.toString(), why: messageOf(error) });
		return undefined;
	}
}

function revisionOf(event: Event): bigint {
	return event.kv?.modRevision ?? 0n;
}

function canceledError({ compactRevision, cancelReason }: WatchResponse): AppError {
	if (compactRevision > 0n) return new AppError('OutOfRange', `etcd has compacted up to revision ${compactRevision}`);
	return new AppError('Unavailable', `etcd ended the watch: ${cancelReason}`);
}

function closedError(): AppError {
	return new AppError('Unavailable', 'The store is closed');
}
