/** Says who resizes a claim's volume: a controller outside, as Kubernetes itself resizes none; a CSI driver's resizer does the work (upstream's pkg/controller/volume/expand). */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types.ts';
import { compareQuantities } from '../../api/quantity.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../api/resources.ts';
import { hasAnnotation, PRE_RESIZE_CAPACITY } from '../../api/storage/annotations.ts';
import { AppError } from '../../base/errors.ts';
import type { Change } from '../../client/cache.ts';
import { keysFrom } from '../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';
import { awaited } from './awaited.ts';
import type { Reconciler } from './reconciler.ts';

/** Keys are claims. */
export function persistentVolumeExpander(informers: Informers, recorder: EventRecorder): Reconciler {
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const volumes = informers.get(PERSISTENT_VOLUMES);
	return {
		sources: [keysFrom<PersistentVolumeClaim>(claims, grown), awaited<PersistentVolume>(volumes)],
		async reconcile(key) {
			const claim = claims.lister.get(key);
			if (claim === undefined) return;
			const name = claim.spec?.volumeName ?? '';
			const volume = volumes.lister.get(name);
			if (volume === undefined) throw new AppError('NotFound', `failed to get PV "${name}": persistentvolumes "${name}" not found`);
			if (volume.spec?.claimRef?.uid !== claim.metadata.uid)
				throw new AppError('FailedPrecondition', `persistent Volume is not bound to PVC being updated : ${key}`);
			if (!isBehind(claim) && !hasAnnotation(volume, PRE_RESIZE_CAPACITY)) return;
			const text = 'waiting for an external controller to expand this PVC';
			recorder.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), 'Normal', 'ExternalExpanding', text);
		},
	};
}

/** Bound claims that ask for more than before, or have more. */
function grown({ before, after }: Change<PersistentVolumeClaim>): readonly Key[] {
	if (after?.status?.phase !== 'Bound') return [];
	const isMore = (size: (claim: PersistentVolumeClaim) => string | number): boolean =>
		before === undefined || compareQuantities(size(after), size(before)) > 0;
	return isMore(requestOf) || isMore(capacityOf) ? [keyOf(after)] : [];
}

function isBehind(claim: PersistentVolumeClaim): boolean {
	return compareQuantities(requestOf(claim), capacityOf(claim)) > 0;
}

function requestOf({ spec }: PersistentVolumeClaim): string | number {
	return spec?.resources?.requests?.['storage'] ?? '0';
}

function capacityOf({ status }: PersistentVolumeClaim): string | number {
	return status?.capacity?.['storage'] ?? '0';
}
