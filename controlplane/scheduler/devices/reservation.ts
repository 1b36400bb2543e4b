/** The claims of a pod that was given a node: believed allocated at once, written before the pod is bound, taken back where that fails. */
import type { AllocationResult, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { isReservedFor } from '../../../api/pod/resource-claims.ts';
import { keyOf } from '../../../api/resource.ts';
import { PODS, RESOURCE_CLAIMS } from '../../../api/resources.ts';
import { linked } from '../../../base/abort.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Assumed } from '../../../client/assumed.ts';
import type { Client } from '../../../client/client.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import { DEFAULT_SCHEDULER } from '../configuration/profile.ts';
import type { Reservation } from '../framework.ts';
import type { SchedulerMetrics, WaitStatus } from '../metrics.ts';
import type { PodInfo } from '../pod-info.ts';
import type { Changes } from '../storage/changes.ts';
import { bindingEnds, hasBindingConditions, readinessOf, resultsOf, waitsForSome } from './binding.ts';
import { ClaimWriter, type Claim } from './claim-writer.ts';
import type { NodeAllocation } from './view.ts';

export interface ReservationDeps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	readonly recorder: EventRecorder;
	readonly metrics: SchedulerMetrics;
	readonly claims: Assumed<Claim>;
	/** Allocations that are being written. */
	readonly inFlight: Set<AllocationResult>;
	/** Of claims. */
	readonly changes: Changes;
}

export interface Wanted {
	readonly claim: Claim;
	/** Undefined for one that has its devices already. */
	readonly allocation: AllocationResult | undefined;
}

/** @param timeoutMs how long drivers may take to make devices ready */
export function reserveClaims(
	deps: ReservationDeps,
	info: PodInfo,
	node: string,
	given: readonly Wanted[],
	extended: NodeAllocation['extended'],
	timeoutMs: number,
): Reservation {
	const { claims, inFlight, client, clock, log, recorder, metrics, changes } = deps;
	const { pod, uid } = info;
	const writer = new ClaimWriter(deps, pod);
	const user = { resource: PODS.plural, name: pod.metadata.name ?? '', uid };
	const wanted = given.flatMap(({ claim, allocation }) => {
		if (allocation === undefined && isReservedFor(pod, claim)) return [];
		const reservedFor = [...(claim.status?.reservedFor ?? []), user];
		const status = { ...claim.status, ...(allocation === undefined ? {} : { allocation }), reservedFor };
		return [{ before: claim, believed: { ...claim, status } }];
	});
	// Copies: what another pod was given, and is yet to write, may be written here.
	const believed = wanted.flatMap(({ believed: { status } }) => (status.allocation === undefined ? [] : [{ ...status.allocation }]));
	const allocations = extended === undefined ? believed : [...believed, { ...extended.allocation }];
	for (const allocation of allocations) inFlight.add(allocation);
	for (const one of wanted) claims.assume(one.believed);
	/** Where the API shows the pod as their user. */
	const reserved = given.filter(({ claim, allocation }) => allocation === undefined && isReservedFor(pod, claim)).map(({ claim }) => claim);
	let made: Claim | undefined;
	const written = (): void => {
		for (const allocation of allocations) inFlight.delete(allocation);
	};

	const latest = (claim: Claim): Claim => claims.get(keyOf(claim)) ?? claim;

	/** Until drivers say of all devices that they are ready. */
	async function ready(all: readonly Claim[], signal: AbortSignal): Promise<void> {
		if (!all.some(hasBindingConditions)) return;
		const profile = pod.spec?.schedulerName ?? DEFAULT_SCHEDULER;
		const note = `waiting for binding conditions for device on node ${node}`;
		recorder.event(referenceTo(PODS, pod), 'Normal', 'BindingConditionsPending', note, { component: profile });
		const since = clock.monotonic();
		let status: WaitStatus = 'success';
		try {
			await told(all, signal);
		} catch (error) {
			status = waitStatusOf(error);
			throw error;
		} finally {
			const seconds = (clock.monotonic() - since) / 1000;
			for (const result of all.map(latest).flatMap(resultsOf)) {
				metrics.devicesWaited(profile, result.driver, status, seconds);
				if (waitsForSome(result)) metrics.devicesAllocated(profile, result.driver, status);
			}
		}
	}

	async function told(all: readonly Claim[], signal: AbortSignal): Promise<void> {
		const ends = Math.min(clock.now() + timeoutMs, ...all.map((claim) => bindingEnds(claim, timeoutMs)));
		using stop = linked(signal);
		using _ = clock.after(Math.max(0, ends - clock.now()), () => stop.abort());
		for (;;) {
			const waiting = all.map((claim) => ({ claim, state: readinessOf(latest(claim)) })).find(({ state }) => state.type !== 'ready');
			if (waiting === undefined) return;
			if (waiting.state.type === 'failed') throw new AppError('FailedPrecondition', waiting.state.why);
			await changes.next(stop.signal).catch((error: unknown) => {
				if (signal.aborted) throw error;
				throw new AppError('DeadlineExceeded', `device binding timeout: claim=${waiting.claim.metadata.name ?? ''}`);
			});
		}
	}

	return {
		plugin: 'DynamicResources',
		async beforeBinding(signal) {
			for (const one of wanted) {
				const claim = await writer.reserve(one.before, one.believed, user, signal);
				claims.assume(claim);
				reserved.push(claim);
			}
			if (extended !== undefined) {
				const { name: _, ...metadata } = extended.claim.metadata;
				const created = await client
					.create(RESOURCE_CLAIMS, { ...extended.claim, metadata } as Claim, { signal })
					.catch((error: unknown) => {
						metrics.claimCreated('failure');
						throw error;
					});
				metrics.claimCreated('success');
				made = created;
				const status = { ...created.status, allocation: extended.allocation, reservedFor: [user] };
				made = await writer.reserve(created, { ...created, status }, user, signal);
				await writer.tell(made, extended.mappings, signal);
			}
			written();
			await ready([...reserved, ...(made === undefined ? [] : [made])], signal);
		},
		async undo(signal) {
			written();
			// Others may have built on it.
			for (const one of wanted) if (claims.get(keyOf(one.believed)) === one.believed) claims.restore(keyOf(one.believed));
			if (signal.aborted) return;
			const warn = (error: unknown): void => log.warn('cannot give a claim back', { pod: info.key, reason: messageOf(error) });
			for (const claim of reserved) await writer.leave(claim, signal).catch(warn);
			if (made !== undefined) await writer.remove(made, signal).catch(warn);
		},
	};
}

function waitStatusOf(error: unknown): WaitStatus {
	if (!(error instanceof AppError)) return 'error';
	return error.code === 'DeadlineExceeded' ? 'timeout' : 'failure';
}

/** Of a claim whose devices do not do: others are looked for. */
export function withoutDevices(claim: ResourceResourceClaim): ResourceResourceClaim {
	const { allocation: _, reservedFor: __, devices: ___, ...status } = claim.status ?? {};
	return { ...claim, status };
}
