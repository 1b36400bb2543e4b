/** Leader election on a Lease, as client-go does it: one of several replicas does the work at a time. */
import type { Lease } from '../api/gen/types.ts';
import { splitKey, type Key, type Resource } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import { microTimeOf } from '../api/time.ts';
import { abortable, withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import type { Client } from './client.ts';
import { referenceTo, type EventRecorder } from './events.ts';

export interface LeaderOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** The Lease, e.g. "kube-system/kube-scheduler". */
	readonly lease: Key;
	/** Who this is: unique among the replicas, e.g. host name and a uuid. */
	readonly identity: string;
	/** The work; its signal aborts when the lease is lost or the service stops. It must end then. */
	readonly lead: (signal: AbortSignal) => Promise<void>;
	/** LEADER_TIMING unless told. */
	readonly timing?: LeaderTiming;
	/** Told who leads, in events about the lease. */
	readonly recorder?: EventRecorder;
	readonly name?: string;
	readonly after?: readonly string[];
}

export interface LeaderTiming {
	/** How long others wait for a leader that says nothing. */
	readonly leaseMs: number;
	/** How long a leader tries to renew its lease before it stops; less than the lease. */
	readonly renewDeadlineMs: number;
	/** Between two tries; less than the deadline, with its jitter. */
	readonly retryMs: number;
}

/** component-base's defaults. */
export const LEADER_TIMING: LeaderTiming = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
/** Of acquiring (client-go's JitterFactor). */
export const RETRY_JITTER = 1.2;

const LEASES: Resource<Lease> = {
	group: 'coordination.k8s.io',
	version: 'v1',
	kind: 'Lease',
	plural: 'leases',
	namespaced: true,
	subresources: [],
};

/** An expired lease is tolerated so long (DefaultHealthCheckTimeout of the CSI sidecars). */
const EXPIRED_MS = 20_000;

export interface LeaderElection extends Service {
	/** Undefined where it is well; else why this process should be started anew: it goes on with the work, and the lease is long another's. */
	health(): string | undefined;
}

/**
 * A Service that contends for the lease, does the work while it holds it, and contends again after losing it. It is ready at once,
 * ends with the work's failure if that fails, and gives the lease back when it stops.
 *
 *     waiting --acquired--> leading --lost--> waiting
 */
export function createLeaderElection(options: LeaderOptions): LeaderElection {
	let election: Election | undefined;
	return {
		health: () => election?.health(),
		name: options.name ?? `leader/${options.lease}`,
		after: options.after ?? [],
		async run(signal, ready) {
			ready();
			election = new Election(options);
			try {
				while (!signal.aborted) {
					await election.acquire(signal);
					await election.lead(signal);
				}
			} catch (error) {
				if (!signal.aborted || error !== signal.reason) throw error;
			}
		},
	};
}

class Election {
	readonly #options: LeaderOptions;
	readonly #timing: LeaderTiming;
	#observed: Lease | undefined;
	/** When `#observed` was first seen like this (monotonic): other clocks are not trusted. */
	#observedAt = 0;
	/** When the write that holds the lease was begun (monotonic): others count from when they see it, which is no earlier. */
	#heldSince = 0;
	#leading = false;

	constructor(options: LeaderOptions) {
		this.#options = options;
		this.#timing = options.timing ?? LEADER_TIMING;
	}

	health(): string | undefined {
		const { clock, lease } = this.#options;
		const expired = this.#leading && clock.monotonic() - this.#heldSince > this.#timing.leaseMs + EXPIRED_MS;
		return expired ? `failed election to renew leadership on lease ${lease}` : undefined;
	}

	async acquire(signal: AbortSignal): Promise<void> {
		const { clock, log, lease, identity } = this.#options;
		for (;;) {
			using deadline = withDeadline(clock, this.#timing.renewDeadlineMs, `acquiring lease "${lease}"`, signal);
			if (await this.#acquired(deadline.signal, signal)) {
				log.info('became leader', { lease, identity });
				this.#tell('became leader');
				return;
			}
			await clock.sleep(this.#timing.retryMs * (1 + RETRY_JITTER * clock.random()), signal);
		}
	}

	/** One try, not for ever: a connection that hangs must not keep a candidate out. */
	async #acquired(deadline: AbortSignal, signal: AbortSignal): Promise<boolean> {
		try {
			return await abortable(this.#try(deadline), deadline);
		} catch (error) {
			signal.throwIfAborted();
			this.#options.log.warn('cannot acquire lease', { lease: this.#options.lease, reason: messageOf(error) });
			return false;
		}
	}

	/** Works and renews until the work ends, the lease is lost or the signal aborts. */
	async lead(signal: AbortSignal): Promise<void> {
		const { clock, log, lease, identity } = this.#options;
		const lost = new AbortController();
		const stop = AbortSignal.any([signal, lost.signal]);
		this.#leading = true;
		const work = this.#options.lead(stop).finally(() => {
			this.#leading = false;
			lost.abort();
		});
		// Its outcome is awaited below, after renewing has ended.
		work.catch(() => {});
		while (!stop.aborted) {
			try {
				await clock.sleep(this.#timing.retryMs, stop);
				using deadline = withDeadline(
					clock,
					this.#heldSince + this.#timing.renewDeadlineMs - clock.monotonic(),
					`renewing lease "${lease}"`,
					stop,
				);
				await abortable(this.#try(deadline.signal), deadline.signal);
			} catch (error) {
				if (stop.aborted) break;
				log.warn('cannot renew lease', { lease, reason: messageOf(error) });
			}
			if (clock.monotonic() - this.#heldSince >= this.#timing.renewDeadlineMs) {
				log.error('lost the lease', { lease, identity });
				this.#tell('stopped leading');
				lost.abort();
			}
		}
		try {
			await work;
		} catch (error) {
			if (!isAbort(error, stop)) throw error;
		} finally {
			await this.#release();
		}
	}

	#tell(what: string): void {
		const { recorder, identity } = this.#options;
		if (recorder !== undefined && this.#observed !== undefined)
			recorder.event(referenceTo(LEASES, this.#observed), 'Normal', 'LeaderElection', `${identity} ${what}`);
	}

	/** One try to hold the lease; false where another holds it or the server does not answer well. */
	async #try(signal: AbortSignal): Promise<boolean> {
		const { client, clock, log, lease } = this.#options;
		const begun = clock.monotonic();
		try {
			const current = await client.get(LEASES, lease, { signal }).catch(unlessMissing);
			if (current === undefined) {
				this.#see(await client.create(LEASES, this.#claim(undefined), { signal }));
				this.#heldSince = begun;
				return true;
			}
			this.#see(current);
			if (!this.#free(current)) return false;
			this.#see(await client.update(LEASES, this.#claim(current), { signal }));
			this.#heldSince = begun;
			return true;
		} catch (error) {
			signal.throwIfAborted();
			const raced = error instanceof StatusError && error.httpCode === 409;
			if (!raced) log.warn('cannot take the lease', { lease, reason: messageOf(error) });
			return false;
		}
	}

	#see(lease: Lease): void {
		if (JSON.stringify(this.#observed?.spec) !== JSON.stringify(lease.spec)) this.#observedAt = this.#options.clock.monotonic();
		this.#observed = lease;
	}

	#free(lease: Lease): boolean {
		const holder = lease.spec?.holderIdentity ?? '';
		const durationMs = (lease.spec?.leaseDurationSeconds ?? this.#timing.leaseMs / 1000) * 1000;
		return holder === '' || holder === this.#options.identity || this.#options.clock.monotonic() - this.#observedAt >= durationMs;
	}

	#claim(current: Lease | undefined): Lease {
		const { identity, clock, lease } = this.#options;
		const now = microTimeOf(clock.now());
		const mine = current?.spec?.holderIdentity === identity;
		const transitions = current?.spec?.leaseTransitions ?? 0;
		return {
			apiVersion: 'coordination.k8s.io/v1',
			kind: 'Lease',
			metadata: current?.metadata ?? splitKey(lease),
			spec: {
				...current?.spec,
				holderIdentity: identity,
				leaseDurationSeconds: Math.floor(this.#timing.leaseMs / 1000),
				acquireTime: mine ? (current?.spec?.acquireTime ?? now) : now,
				renewTime: now,
				leaseTransitions: current === undefined || mine ? transitions : transitions + 1,
			},
		};
	}

	/** Gives the lease back, so that the next need not wait for it to run out. */
	async #release(): Promise<void> {
		const { client, clock, identity, log, lease } = this.#options;
		const observed = this.#observed;
		if (observed?.spec?.holderIdentity !== identity) return;
		const now = microTimeOf(clock.now());
		const spec = { ...observed.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
		this.#observed = undefined;
		using deadline = withDeadline(clock, this.#timing.retryMs, `releasing lease "${lease}"`);
		try {
			await client.update(LEASES, { ...observed, spec }, { signal: deadline.signal });
		} catch (error) {
			log.info('lease not released', { lease, reason: messageOf(error) });
		}
	}
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
	return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

function unlessMissing(error: unknown): undefined {
	if (error instanceof StatusError && error.httpCode === 404) return undefined;
	throw error;
}
