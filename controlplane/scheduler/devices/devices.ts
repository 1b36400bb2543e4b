/** Devices as the scheduler sees them: claims, classes and slices that the informers show, and what it believes already of claims it decided about. */
import type { AllocationResult } from '../../../api/gen/types.ts';
import { podClaimsOf } from '../../../api/pod/resource-claims.ts';
import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../../api/resources.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { Lru } from '../../../base/lru.ts';
import { Assumed } from '../../../client/assumed.ts';
import type { Client } from '../../../client/client.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import type { ClusterEvent, Reservation } from '../framework.ts';
import type { SchedulerMetrics } from '../metrics.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PluginArgs } from '../plugin-args.ts';
import type { PodInfo } from '../pod-info.ts';
import { Changes } from '../storage/changes.ts';
import { ClaimWriter, type Claim } from './claim-writer.ts';
import { classFor, mayBeDevices } from './extended.ts';
import { needsOf } from './needs.ts';
import { indexSlices, type SliceIndex } from './pools.ts';
import { reserveClaims, withoutDevices, type ReservationDeps } from './reservation.ts';
import type { DevicesView } from './view.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly log: Log;
	readonly recorder: EventRecorder;
	readonly metrics: SchedulerMetrics;
}

/** Of users' selectors. */
const MAX_COMPILED = 200;

type Matches = NonNullable<ReturnType<DevicesView['matches']>>;
type Happened = (events: readonly ClusterEvent[], concerns?: (pod: PodInfo) => boolean) => void;

export class SchedulerDevices {
	readonly view: DevicesView;
	readonly #deps: ReservationDeps;
	readonly #informers;
	/** Until slices change. */
	#index: SliceIndex | undefined;
	#matches: Matches | undefined;
	#loading = false;

	constructor({ informers, client, clock, log, recorder, metrics }: Deps) {
		const all = { claims: informers.get(RESOURCE_CLAIMS), classes: informers.get(DEVICE_CLASSES), slices: informers.get(RESOURCE_SLICES) };
		const claims = new Assumed<Claim>(all.claims);
		const inFlight = new Set<AllocationResult>();
		this.#deps = { client, clock, log, recorder, metrics, claims, inFlight, changes: new Changes() };
		this.#informers = all;
		this.view = {
			synced: () => Object.values(all).every((informer) => informer.hasSynced),
			claim: (key) => claims.get(key),
			claimsOf: (namespace) => claims.list(namespace),
			// Being written: what is believed of a claim gives way to each new version of it that the informer shows.
			allocations: () => [...claims.list().flatMap(({ status }) => status?.allocation ?? []), ...inFlight],
			deviceClass: (name) => all.classes.lister.get(name),
			classFor: (resource) => (mayBeDevices(resource) ? classFor(resource, all.classes.lister.list()) : undefined),
			slices: () => this.#slices(),
			matches: () => this.#matches,
			now: () => clock.now(),
			after(ms) {
				const ends = clock.monotonic() + ms;
				return () => clock.monotonic() >= ends;
			},
			found: new WeakMap(),
		};
	}

	[Symbol.dispose](): void {
		this.#deps.claims[Symbol.dispose]();
	}

	/** What happens to devices, for pods that wait for some. */
	subscribe(happened: Happened): Disposable {
		const subscriptions = new DisposableStack();
		const isConcerned = ({ pod, requests }: PodInfo): boolean => podClaimsOf(pod).length > 0 || [...requests.keys()].some(mayBeDevices);
		const changed = (): void => happened(['devicesChanged'], isConcerned);
		const { claims, classes, slices } = this.#informers;
		subscriptions.use(
			claims.subscribe(() => {
				changed();
				this.#deps.changes.happened();
			}),
		);
		subscriptions.use(
			slices.subscribe(() => {
				this.#index = undefined;
				changed();
			}),
		);
		subscriptions.use(
			classes.subscribe(() => {
				this.#load(changed);
				changed();
			}),
		);
		return subscriptions;
	}

	/** Devices for the claims of a pod that was given this node; undefined where it has all it needs. */
	reserve(info: PodInfo, { name }: NodeInfo, { bindingTimeoutMs }: PluginArgs['DynamicResources']): Reservation | undefined {
		const needs = needsOf(info, this.view);
		if (needs === undefined || 'refused' in needs) return undefined;
		const found = this.view.found.get(info)?.allocations.get(name);
		const all = [
			...needs.allocated.map((claim) => ({ claim, allocation: undefined })),
			...needs.open.map((claim, i) => ({ claim, allocation: found?.results[i] })),
		];
		if (all.length === 0 && found?.extended === undefined) return undefined;
		return reserveClaims(this.#deps, info, name, all, found?.extended, bindingTimeoutMs);
	}

	/** Takes devices that do not do from a claim of a pod that fits nowhere. Answers what upstream's PostFilter says. */
	async makeRoom(info: PodInfo, signal: AbortSignal): Promise<string> {
		const found = this.view.found.get(info);
		if (found === undefined) return 'no new claims to deallocate';
		for (const claim of found.unavailable) {
			const users = claim.status?.reservedFor ?? [];
			if (users.length > 1 || (users[0] !== undefined && users[0].uid !== info.uid)) continue;
			await this.#deps.client.update(RESOURCE_CLAIMS, withoutDevices(claim), { subresource: 'status', signal });
			return 'deallocation of ResourceClaim completed';
		}
		if (found.stale === undefined) return 'still not schedulable';
		await new ClaimWriter(this.#deps, info.pod).remove(found.stale, signal);
		return 'deletion of ResourceClaim completed';
	}

	#slices(): SliceIndex {
		this.#index ??= indexSlices(this.#informers.slices.lister.list());
		return this.#index;
	}

	/** Where there are no classes there are no claims: expressions take time and memory to load. */
	#load(changed: () => void): void {
		if (this.#loading) return;
		this.#loading = true;
		import('../../../api/cel/device.ts')
			.then(({ deviceMatch }) => {
				const programs = new Lru<string, ReturnType<typeof deviceMatch>>(MAX_COMPILED);
				this.#matches = (expression, { driver, device }) => {
					const program = programs.get(expression) ?? deviceMatch(expression);
					programs.set(expression, program);
					return program(driver, device);
				};
				changed();
			})
			.catch((error: unknown) => {
				this.#loading = false;
				this.#deps.log.error('cannot evaluate device selectors', { reason: messageOf(error) });
			});
	}
}
