/** The Store on etcd v3: reads from a mirror in memory, writes as compare-and-swap transactions, several servers on one etcd. */
import { abortable } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { RequestOp, TxnResponse } from '../../../wire/gen/etcd-rpc.ts';
import type { LiveSealing } from '../encryption/live-sealing.ts';
import type { Entry, Follower, Page, Store, WatchBatch, Write } from '../store.ts';
import { expectationError } from '../versions.ts';
import { Compactor } from './compactor.ts';
import { Endpoints, type EndpointOptions } from './endpoints.ts';
import { Leases } from './leases.ts';
import { Mirror } from './mirror.ts';
import { pastPage } from './past.ts';
import { deletion, oneKey, put, range, reading, transaction, writtenAt } from './requests.ts';
import type { StoredForm } from './stored-form.ts';

export interface EtcdStoreOptions extends EndpointOptions {
	readonly form: StoredForm;
	/** What the form seals values with, when it does. */
	readonly sealing?: LiveSealing;
	/** For how long keys that end share a lease, at most; a minute unless told. */
	readonly leaseReuseMs?: number;
	readonly clock: Clock;
	readonly log: Log;
}

/** Connects and loads everything below the prefix. AppError Unavailable when no endpoint answers. */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
	const { form, sealing, clock, log, leaseReuseMs } = options;
	const endpoints = await Endpoints.open(options);
	try {
		const { version } = await endpoints.read((client, call) => client.status({}, call));
		const mirror = await Mirror.open({ endpoints, form, clock, log, asksProgress: progressIsOrdered(version) });
		sealing?.own({ newest: () => mirror.versions.revision, replaced: () => mirror.readAgain() });
		return new EtcdStore(endpoints, mirror, form, new Leases(endpoints, clock, leaseReuseMs), sealing);
	} catch (cause) {
		endpoints.close();
		if (!(cause instanceof AppError)) throw cause;
		throw new AppError(cause.code, `etcd at ${options.endpoints.join(', ')} cannot be used: ${cause.message}`, { cause });
	}
}

/** From 3.4.31, 3.5.13 and 3.6 on a progress answer never overtakes an event (etcd issue 15220). */
export function progressIsOrdered(version: string): boolean {
	const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
	if (major !== 3) return major > 3;
	return minor > 5 || (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31);
}

class EtcdStore implements Store {
	readonly shared = true;
	readonly sealing: LiveSealing | undefined;
	readonly #endpoints: Endpoints;
	readonly #mirror: Mirror;
	readonly #form: StoredForm;
	readonly #leases: Leases;
	readonly #compactor: Compactor;
	/** The consistent read under way and, behind it, the one that later callers share. */
	#reading: Promise<bigint> | undefined;
	#nextReading: Promise<bigint> | undefined;
	/** Its end, once it has been asked for. */
	#closing: Promise<void> | undefined;

	constructor(endpoints: Endpoints, mirror: Mirror, form: StoredForm, leases: Leases, sealing: LiveSealing | undefined) {
		this.sealing = sealing;
		this.#endpoints = endpoints;
		this.#mirror = mirror;
		this.#form = form;
		this.#leases = leases;
		this.#compactor = new Compactor(endpoints);
	}

	revision(): bigint {
		return this.#mirror.versions.revision;
	}
	compacted(): bigint {
		return this.#mirror.versions.compacted;
	}
	get(key: string, at?: bigint): Entry | undefined {
		return this.#mirror.versions.get(key, at);
	}
	list(prefix: string, page: { readonly after?: string; readonly limit?: number; readonly at?: bigint }): Page {
		return this.#mirror.versions.list(prefix, page);
	}
	past(
		prefix: string,
		page: { readonly after?: string; readonly limit?: number; readonly at: bigint },
		signal: AbortSignal,
	): Promise<Page> {
		return pastPage(this.#endpoints, this.#form, prefix, page, signal);
	}
	watch(prefix: string, from: bigint, signal: AbortSignal): AsyncIterable<WatchBatch> {
		return this.#mirror.ring.watch(prefix, from, signal);
	}
	follow(prefix: string, from: bigint, wake: () => void): Follower {
		return this.#mirror.ring.follow(prefix, from, wake);
	}

	/** Asks etcd how far it is, by a quorum, then waits until the mirror is as far. */
	async fresh(min: bigint | undefined, signal: AbortSignal): Promise<bigint> {
		if (min === undefined || min > this.revision()) {
			const newest = await abortable(this.#newest(), signal);
			await this.#mirror.shows(newest, true, signal);
		}
		return this.revision();
	}

	/** The newest revision at some moment after the call: callers that come while one read is under way share the next. */
	#newest(): Promise<bigint> {
		if (this.#reading === undefined) {
			this.#reading = this.#readRevision().finally(() => (this.#reading = undefined));
			return this.#reading;
		}
		this.#nextReading ??= this.#reading
			.catch(() => undefined)
			.then(() => {
				this.#nextReading = undefined;
				return this.#newest();
			});
		return this.#nextReading;
	}

	/** As the member that answers has it (upstream reads the same). */
	async diskBytes(): Promise<number> {
		const { dbSize } = await this.#endpoints.read((client, options) => client.status({}, options));
		return Number(dbSize);
	}

	async #readRevision(): Promise<bigint> {
		const keys = oneKey(this.#form.prefix);
		const answer = await this.#endpoints.read((client, options) => client.range(range(keys, { countOnly: true }), options));
		return answer.header?.revision ?? 0n;
	}

	async commit(writes: readonly Write[], signal?: AbortSignal): Promise<bigint> {
		signal?.throwIfAborted();
		if (this.#closing !== undefined) throw new AppError('Unavailable', 'The store is closed');
		const compare = writes.map(({ key, expect }) => writtenAt(this.#form.toKey(key), expect === 'absent' ? 0n : expect));
		const success = await Promise.all(writes.map((write) => this.#operation(write)));
		const failure = writes.map(({ key }) => reading(this.#form.toKey(key)));
		const answer = await this.#endpoints.write((client, options) => client.txn(transaction(compare, success, failure), options), signal);
		const revision = answer.header?.revision ?? 0n;
		if (!answer.succeeded) {
			// Who tries again must see what it lost to.
			await this.#mirror.shows(revision, true, signal);
			throw lost(writes, answer);
		}
		// What stands is told as done, whatever ends the wait: else its caller would take back what belongs to it.
		await this.#mirror.shows(revision, false, signal).catch(() => undefined);
		return revision;
	}

	async #operation({ key, value, ttlMs }: Write): Promise<RequestOp> {
		const at = this.#form.toKey(key);
		if (value === undefined) return deletion(at);
		return put(at, this.#form.toValue(key, value), ttlMs === undefined ? 0n : await this.#leases.forTtl(ttlMs));
	}

	async compact(before: bigint): Promise<void> {
		await this.#mirror.compact(before);
		await this.#compactor.compact(before);
	}

	close(): Promise<void> {
		return (this.#closing ??= this.#close());
	}

	async #close(): Promise<void> {
		await this.#mirror.close();
		this.#endpoints.close();
	}
}

/** Names the key whose expectation did not hold. */
function lost(writes: readonly Write[], { responses }: TxnResponse): AppError {
	for (const [i, { key, expect }] of writes.entries()) {
		const response = responses[i]?.response;
		const now = response?.$case === 'responseRange' ? (response.value.kvs[0]?.modRevision ?? 'absent') : 'absent';
		if (now !== expect) return expectationError(key, now, expect);
	}
	return new AppError('Aborted', `A key of ${writes.map(({ key }) => `"${key}"`).join(', ')} is not at the expected revision`);
}
