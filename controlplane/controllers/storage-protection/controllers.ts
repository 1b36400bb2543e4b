/** Claims stay while pods use them, volumes while they are bound (upstream's pvcprotection and pvprotection). */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../../api/resources.ts';
import { claimKeysOf, isOwnedBy, podClaims } from '../../../api/storage/pod-claims.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { withFinalizer, withoutFinalizer } from './finalizers.ts';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

/** Keys are claims. */
export function claimProtection(client: Client, informers: Informers): Reconciler {
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const pods = informers.get(PODS);
	pods.addIndex('claim', claimKeysOf);
	/** Pods that run change nothing: a claim that is going waits for those that end. */
	const ofPod = ({ before, after }: Change<Pod>): Iterable<Key> => {
		const pod = after ?? before;
		if (pod === undefined || (after !== undefined && !isTerminal(after) && (after.spec?.nodeName ?? '') !== '')) return [];
		return claimKeysOf(pod);
	};
	return {
		sources: [keysFrom(claims), keysFrom(pods, ofPod)],
		async reconcile(key, signal) {
			const claim = claims.lister.get(key);
			if (claim === undefined) return;
			const has = hasFinalizer(claim, CLAIM_FINALIZER);
			if (claim.metadata.deletionTimestamp === undefined) {
				if (!has)
					await client.update(PERSISTENT_VOLUME_CLAIMS, withFinalizer(claim, CLAIM_FINALIZER), { signal }).catch(ignore('NotFound'));
				return;
			}
			if (!has || pods.lister.byIndex('claim', key).some((pod) => uses(pod, claim))) return;
			// The cache may be behind: a pod that was bound a moment ago keeps its claim.
			const live = await client.list(PODS, {
				signal,
				...(claim.metadata.namespace === undefined ? {} : { namespace: claim.metadata.namespace }),
			});
			if (live.items.some((pod) => uses(pod, claim))) return;
			await client.update(PERSISTENT_VOLUME_CLAIMS, withoutFinalizer(claim, CLAIM_FINALIZER), { signal }).catch(ignore('NotFound'));
		},
	};
}

/** Keys are volumes. */
export function volumeProtection(client: Client, informers: Informers): Reconciler {
	const volumes = informers.get(PERSISTENT_VOLUMES);
	return {
		sources: [keysFrom(volumes)],
		async reconcile(key, signal) {
			const volume = volumes.lister.get(key);
			if (volume === undefined) return;
			const wanted = protectedVolume(volume);
			if (wanted !== undefined) await client.update(PERSISTENT_VOLUMES, wanted, { signal }).catch(ignore('NotFound'));
		},
	};
}

function protectedVolume(volume: PersistentVolume): PersistentVolume | undefined {
	const has = hasFinalizer(volume, VOLUME_FINALIZER);
	if (volume.metadata.deletionTimestamp === undefined) return has ? undefined : withFinalizer(volume, VOLUME_FINALIZER);
	return has && volume.status?.phase !== 'Bound' ? withoutFinalizer(volume, VOLUME_FINALIZER) : undefined;
}

/** Only pods that have a node: no kubelet starts another one on a claim that is going. Pure. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
	if ((pod.spec?.nodeName ?? '') === '') return false;
	const isShutDown = pod.metadata.deletionTimestamp !== undefined && pod.metadata.deletionGracePeriodSeconds === 0;
	return podClaims(pod).some(
		({ name, isEphemeral }) => name === claim.metadata.name && (!isEphemeral || (!isShutDown && isOwnedBy(claim, pod))),
	);
}
