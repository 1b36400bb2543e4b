/** Which changes concern the binder. One worker, as a claim and a volume are decided together; keys with a namespace are claims, others volumes. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from '../../../api/resources.ts';
import { claimKeysOf } from '../../../api/storage/pod-claims.ts';
import { BIND_COMPLETED, hasAnnotation } from '../../../api/storage/annotations.ts';
import { classOfClaim, classOfVolume } from '../../../api/storage/class.ts';
import { claimKeyOf, openClassOf } from '../../../api/storage/volume-indexes.ts';
import type { Registry } from '../../../base/metrics.ts';
import { Assumed } from '../../../client/assumed.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { awaited } from '../awaited.ts';
import type { Reconciler } from '../reconciler.ts';
import { Binder } from './binder.ts';
import { binderMetrics } from './binder-metrics.ts';
import { BindingWrites } from './binding-writes.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly recorder: EventRecorder;
}

export function persistentVolumeBinder({ client, informers, recorder }: Deps, metrics: Registry | undefined): Reconciler {
	const volumeInformer = informers.get(PERSISTENT_VOLUMES);
	const claimInformer = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const classes = informers.get(STORAGE_CLASSES);
	const pods = informers.get(PODS);
	volumeInformer.addIndex('claim', claimKeyOf);
	volumeInformer.addIndex('class', openClassOf);
	claimInformer.addIndex('open-class', (claim) => (isOpen(claim) ? [classOfClaim(claim)] : []));
	pods.addIndex('claim', (pod: Pod) => claimKeysOf(pod));
	const [volumes, claims] = [new Assumed(volumeInformer), new Assumed(claimInformer)];
	const open = (storageClass: string): readonly Key[] => claimInformer.lister.byIndex('open-class', storageClass).map(keyOf);

	/** The volume itself, its claim, and those that may want it now. */
	const ofVolume = ({ before, after }: Change<PersistentVolume>): readonly Key[] => {
		const keys = after === undefined ? [] : [keyOf(after)];
		for (const volume of [before, after]) if (volume !== undefined) keys.push(...claimKeyOf(volume));
		if (after !== undefined && after.spec?.claimRef === undefined && after.status?.phase === 'Available')
			keys.push(...open(classOfVolume(after)));
		return keys;
	};
	/** The claim itself, the volume it names, and those that name it. */
	const ofClaim = ({ before, after }: Change<PersistentVolumeClaim>): readonly Key[] => {
		const claim = after ?? before;
		if (claim === undefined) return [];
		const key = keyOf(claim);
		const named = [before, after].map((one) => one?.spec?.volumeName ?? '').filter((name) => name !== '');
		const naming = volumeInformer.lister.byIndex('claim', key).map(keyOf);
		return [...(after === undefined ? [] : [key]), ...named, ...naming];
	};
	const kinds = binderMetricsOf(metrics, volumes, claims);
	const writes = new BindingWrites({ client, volumes, claims });
	const binder = new Binder({ client, volumes, claims, classes: classes.lister, pods: pods.lister, writes, recorder, metrics: kinds });
	return {
		sources: [
			keysFrom(volumeInformer, ofVolume),
			keysFrom(claimInformer, ofClaim),
			// A class that came or changed; one that became the default concerns those without a class.
			keysFrom(classes, ({ after }) => (after === undefined ? [] : [...open(after.metadata.name ?? ''), ...open('')])),
			awaited<Pod>(pods),
		],
		reconcile: (key, signal) => (key.includes('/') ? binder.claim(key, signal) : binder.volume(key, signal)),
	};
}

function binderMetricsOf(
	metrics: Registry | undefined,
	volumes: Assumed<PersistentVolume>,
	claims: Assumed<PersistentVolumeClaim>,
): ReturnType<typeof binderMetrics> | undefined {
	return metrics === undefined ? undefined : binderMetrics(metrics, { volumes: () => volumes.list(), claims: () => claims.list() });
}

/** Waits for a volume. */
function isOpen(claim: PersistentVolumeClaim): boolean {
	return (claim.spec?.volumeName ?? '') === '' && !hasAnnotation(claim, BIND_COMPLETED);
}
