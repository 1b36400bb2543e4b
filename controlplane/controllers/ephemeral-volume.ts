/** Claims of the ephemeral volumes of pods: made from their templates, owned by their pods (upstream's pkg/controller/volume/ephemeral). */
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../api/resources.ts';
import { claimKeysOf, isOwnedBy } from '../../api/storage/pod-claims.ts';
import { AppError, ignore, messageOf } from '../../base/errors.ts';
import { Counter, type Registry } from '../../base/metrics.ts';
import type { Change } from '../../client/cache.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';
import { controllerRef } from './owned.ts';
import type { Reconciler } from './reconciler.ts';

/** Keys are pods. */
export function ephemeralVolumes(client: Client, informers: Informers, recorder: EventRecorder, metrics?: Registry): Reconciler {
	const count = metrics === undefined ? undefined : counters(metrics);
	const pods = informers.get(PODS);
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	pods.addIndex('claim', claimKeysOf);
	/** A claim that is gone is made anew while its pod lives; one of somebody else was in the pod's way. */
	const ofClaim = ({ before, after }: Change<PersistentVolumeClaim>): readonly Key[] =>
		after === undefined && before !== undefined ? pods.lister.byIndex('claim', keyOf(before)).map(keyOf) : [];

	async function ensure(pod: Pod, volume: Volume, signal: AbortSignal): Promise<void> {
		const template = volume.ephemeral?.volumeClaimTemplate;
		const name = `${pod.metadata.name}-${volume.name}`;
		const key = `${pod.metadata.namespace}/${name}`;
		const present = claims.lister.get(key);
		if (present !== undefined) return checkOwner(present, pod);
		const { annotations, labels } = template?.metadata ?? {};
		const made: PersistentVolumeClaim = {
			metadata: { namespace: pod.metadata.namespace, name, annotations, labels, ownerReferences: [controllerRef(PODS, pod)] },
			spec: structuredClone(template?.spec),
		};
		count?.creations.inc();
		try {
			if ((await client.create(PERSISTENT_VOLUME_CLAIMS, made, { signal }).catch(ignore('AlreadyExists'))) !== undefined) return;
		} catch (cause) {
			count?.failures.inc();
			throw new AppError('Unavailable', `create PVC ${name}: ${messageOf(cause)}`, { cause });
		}
		// The cache is behind.
		const live = await client.get(PERSISTENT_VOLUME_CLAIMS, key, { signal }).catch(ignore('NotFound'));
		if (live !== undefined) checkOwner(live, pod);
	}

	return {
		sources: [
			keysFrom(pods, ({ after }) => (after?.spec?.volumes?.some((v) => v.ephemeral !== undefined) === true ? [keyOf(after)] : [])),
			keysFrom(claims, ofClaim),
		],
		async reconcile(key, signal) {
			const pod = pods.lister.get(key);
			if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
			for (const volume of pod.spec?.volumes ?? []) {
				if (volume.ephemeral === undefined) continue;
				try {
					await ensure(pod, volume, signal);
				} catch (error) {
					recorder.event(referenceTo(PODS, pod), 'Warning', 'FailedBinding', `ephemeral volume ${volume.name}: ${messageOf(error)}`);
					throw error;
				}
			}
		},
	};
}

function counters(registry: Registry): { readonly creations: Counter; readonly failures: Counter } {
	const name = 'ephemeral_volume_controller';
	const registers = [registry];
	return {
		creations: new Counter({ name: `${name}_create_total`, help: 'Number of PersistentVolumeClaim creation requests', registers }),
		failures: new Counter({ name: `${name}_create_failures_total`, help: 'Number of PersistentVolumeClaim creation requests', registers }),
	};
}

function checkOwner(claim: PersistentVolumeClaim & KubeObject, pod: Pod & KubeObject): void {
	if (isOwnedBy(claim, pod)) return;
	throw new AppError('FailedPrecondition', `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`);
}
