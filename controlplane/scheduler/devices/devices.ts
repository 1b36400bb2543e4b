/** Devices as the scheduler sees them: claims, classes and slices that the informers show, and what it believes already of claims it decided about. */
import type { AllocationResult, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { podClaimsOf } from '../../../api/pod/resource-claims.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../../api/resources.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { Lru } from '../../../base/lru.ts';
import { Assumed } from '../../../client/assumed.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import type { ClusterEvent, Reservation } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { allocate } from './allocate.ts';
import { allocateDeps, needsOf } from './needs.ts';
import { currentSlices, devicesOf, type NodeDevice } from './pools.ts';
import { reserveClaims } from './reservation.ts';
import type { DevicesView } from './view.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly log: Log;
}

/** Of users' selectors. */
const MAX_COMPILED = 200;

type Matches = (expression: string, device: NodeDevice) => boolean;
type Happened = (events: readonly ClusterEvent[], concerns?: (pod: PodInfo) => boolean) => void;

export class SchedulerDevices {
	readonly view: DevicesView;
	readonly #deps: Deps;
	readonly #informers;
	readonly #claims: Assumed<ResourceResourceClaim & KubeObject>;
	/** Being written: what is believed of a claim gives way to each new version of it that the informer shows. */
	readonly #inFlight = new Set<AllocationResult>();
	#matches: Matches | undefined;
	#loading = false;

	constructor(deps: Deps) {
		const { informers } = deps;
		const all = { claims: informers.get(RESOURCE_CLAIMS), classes: informers.get(DEVICE_CLASSES), slices: informers.get(RESOURCE_SLICES) };
		this.#deps = deps;
		this.#informers = all;
		this.#claims = new Assumed(all.claims);
		this.view = {
			synced: () => Object.values(all).every((informer) => informer.hasSynced),
			claim: (key) => this.#claims.get(key),
			allocations: () => [...this.#claims.list().flatMap(({ status }) => status?.allocation ?? []), ...this.#inFlight],
			deviceClass: (name) => all.classes.lister.get(name),
			slices: () => all.slices.lister.list(),
			matches: () => this.#matches,
		};
	}

	/** What happens to devices, for pods that wait for some. */
	subscribe(happened: Happened): Disposable {
		const subscriptions = new DisposableStack();
		const changed = (): void => happened(['devicesChanged'], ({ pod }) => podClaimsOf(pod).length > 0);
		const { claims, classes, slices } = this.#informers;
		subscriptions.use(claims.subscribe(changed));
		subscriptions.use(slices.subscribe(changed));
		subscriptions.use(
			classes.subscribe(() => {
				this.#load(changed);
				changed();
			}),
		);
		return subscriptions;
	}

	/** Devices for the claims of a pod that was given this node; undefined where it has all it needs. */
	reserve(info: PodInfo, { name, node }: NodeInfo): Reservation | undefined {
		const needs = needsOf(info.pod, this.view);
		if (needs === undefined || 'refused' in needs) return undefined;
		const deps = allocateDeps(this.view);
		const given =
			needs.open.length === 0 || deps === undefined
				? []
				: allocate(needs.open, name, devicesOf(node, currentSlices(this.view.slices())), deps);
		const all = [
			...needs.allocated.map((claim) => ({ claim, allocation: undefined })),
			...needs.open.map((claim, i) => ({ claim, allocation: given?.[i] })),
		];
		return reserveClaims({ client: this.#deps.client, claims: this.#claims, inFlight: this.#inFlight }, info, all);
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
