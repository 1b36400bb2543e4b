/** Storage as the scheduler sees it: what the informers show and what it believes already of volumes and claims it decided about. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import {
	CSI_DRIVERS,
	CSI_NODES,
	CSI_STORAGE_CAPACITIES,
	NODES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	PODS,
	STORAGE_CLASSES,
	VOLUME_ATTACHMENTS,
} from '../../../api/resources.ts';
import { classOfVolume } from '../../../api/storage/class.ts';
import { claimKeysOf } from '../../../api/storage/pod-claims.ts';
import { claimKeyOf, openClassOf } from '../../../api/storage/volume-indexes.ts';
import type { Clock } from '../../../base/clock.ts';
import { Assumed } from '../../../client/assumed.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import type { Informer } from '../../../client/informer.ts';
import type { Informers } from '../../../client/informers.ts';
import type { ClusterEvent, Reservation } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PluginArgs } from '../plugin-args.ts';
import type { PodInfo } from '../pod-info.ts';
import { Changes } from './changes.ts';
import { claimsByState } from './claims.ts';
import { attachmentEvents, capacityEvents, claimEvents, classEvents, csiNodeEvents, volumeEvents } from './cluster-events.ts';
import { findVolumes } from './find-volumes.ts';
import { reserveVolumes, type ReservationDeps } from './reservation.ts';
import type { StorageView } from './view.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
}

type Happened = (events: readonly ClusterEvent[], concerns?: (pod: PodInfo) => boolean) => void;

export class SchedulerStorage {
	readonly view: StorageView;
	readonly #informers;
	readonly #reservations: ReservationDeps;
	readonly #changes = new Changes();

	constructor({ client, informers, clock }: Deps) {
		const all = {
			volumes: informers.get(PERSISTENT_VOLUMES),
			claims: informers.get(PERSISTENT_VOLUME_CLAIMS),
			classes: informers.get(STORAGE_CLASSES),
			csiNodes: informers.get(CSI_NODES),
			drivers: informers.get(CSI_DRIVERS),
			capacities: informers.get(CSI_STORAGE_CAPACITIES),
			attachments: informers.get(VOLUME_ATTACHMENTS),
			pods: informers.get(PODS),
		};
		this.#informers = all;
		all.volumes.addIndex('claim', claimKeyOf);
		all.volumes.addIndex('class', openClassOf);
		all.capacities.addIndex('class', ({ storageClassName }) => [storageClassName]);
		all.attachments.addIndex('all-of-node', ({ spec }) => [spec.nodeName]);
		const volumes = new Assumed<PersistentVolume & KubeObject>(all.volumes);
		const claims = new Assumed<PersistentVolumeClaim & KubeObject>(all.claims);
		this.view = {
			claim: (key) => claims.get(key),
			volume: (name) => volumes.get(name),
			candidates: (claim, storageClass) => [
				...volumes.byIndex('claim', claim).filter((volume) => classOfVolume(volume) === storageClass),
				...volumes.byIndex('class', storageClass),
			],
			storageClass: (name) => all.classes.lister.get(name),
			driver: (name) => all.drivers.lister.get(name),
			csiNode: (name) => all.csiNodes.lister.get(name),
			capacities: (storageClass) => all.capacities.lister.byIndex('class', storageClass),
			attachments: (node) => all.attachments.lister.byIndex('all-of-node', node),
		};
		this.#reservations = {
			...{ client, clock, volumes, claims, changes: this.#changes, nodes: informers.get(NODES).lister },
			shown: {
				volume: (name) => all.volumes.lister.get(name),
				claim: (key) => all.claims.lister.get(key),
				hasPod: ({ key, uid }) => all.pods.lister.get(key)?.metadata.uid === uid,
			},
		};
	}

	[Symbol.dispose](): void {
		this.#reservations.volumes[Symbol.dispose]();
		this.#reservations.claims[Symbol.dispose]();
	}

	async synced(signal: AbortSignal): Promise<void> {
		await Promise.all(Object.values(this.#informers).map((informer) => informer.synced(signal)));
	}

	/** What happens to storage, for pods that wait for it. */
	subscribe(happened: Happened): Disposable {
		const subscriptions = new DisposableStack();
		const on = <T extends KubeObject>(informer: Informer<T>, told: (change: Change<T>) => void): void => {
			subscriptions.use(
				informer.subscribe((change) => {
					told(change);
					this.#changes.happened();
				}),
			);
		};
		const { volumes, claims, classes, csiNodes, capacities, attachments, pods } = this.#informers;
		on(volumes, (change) => happened(volumeEvents(change)));
		on(claims, (change) => {
			const key = keyOf(change.after ?? change.before ?? { metadata: {} });
			happened(claimEvents(change), ({ pod }) => claimKeysOf(pod).includes(key));
		});
		on(classes, (change) => happened(classEvents(change)));
		on(csiNodes, (change) => happened(csiNodeEvents(change)));
		on(capacities, (change) => happened(capacityEvents(change)));
		on(attachments, (change) => happened(attachmentEvents(change)));
		on(pods, () => {});
		return subscriptions;
	}

	lacksClaims(pod: Pod): boolean {
		return claimKeysOf(pod).some((key) => this.view.claim(key) === undefined);
	}

	/** Volumes to bind or to have made for a pod that was given this node; undefined where it has all it needs. */
	reserve(pod: PodInfo, { name, node }: NodeInfo, { bindTimeoutSeconds }: PluginArgs['VolumeBinding']): Reservation | undefined {
		const claims = claimsByState(pod.pod, this.view);
		if (claims === undefined || 'refused' in claims) return undefined;
		const found = findVolumes(claims, node, this.view);
		if ('reasons' in found || (found.bindings.length === 0 && found.provisions.length === 0)) return undefined;
		return reserveVolumes(this.#reservations, pod, name, found, bindTimeoutSeconds * 1000);
	}
}
