/** The status of a claim in a phase, beside its volume (upstream's updateClaimStatus). Pure. */
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../../api/gen/types.ts';
import { compareQuantities, parseQuantity } from '../../../api/quantity.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { PRE_RESIZE_CAPACITY } from '../../../api/storage/annotations.ts';
import { AppError } from '../../../base/errors.ts';

export type ClaimPhase = 'Pending' | 'Bound' | 'Lost';

/** The new status; undefined where nothing changes. */
export function claimStatus(
	claim: PersistentVolumeClaim,
	phase: ClaimPhase,
	volume: PersistentVolume | undefined,
): PersistentVolumeClaimStatus | undefined {
	const before = claim.status ?? {};
	const status: PersistentVolumeClaimStatus = { ...before, phase };
	if (volume === undefined) {
		delete status.accessModes;
		delete status.capacity;
		delete status.currentVolumeAttributesClassName;
	} else {
		status.accessModes = volume.spec?.accessModes;
		if (before.phase !== phase) status.capacity = capacityOf(before, volume);
		if (before.phase === 'Pending' && phase === 'Bound') status.currentVolumeAttributesClassName = volume.spec?.volumeAttributesClassName;
	}
	return sameButNulls(status, before) ? undefined : status;
}

/** The volume's, unless its file system has still to grow to it. */
function capacityOf(before: PersistentVolumeClaimStatus, volume: PersistentVolume): Record<string, string> | undefined {
	const size = volume.spec?.capacity?.['storage'];
	if (size === undefined)
		throw new AppError('FailedPrecondition', `PersistentVolume "${volume.metadata.name}" is without a storage capacity`);
	const former = volume.metadata.annotations?.[PRE_RESIZE_CAPACITY];
	if (former !== undefined) return { ...before.capacity, storage: isQuantity(former) ? former : size };
	const has = before.capacity?.['storage'];
	return has !== undefined && compareQuantities(has, size) === 0 ? before.capacity : volume.spec?.capacity;
}

function isQuantity(text: string): boolean {
	try {
		parseQuantity(text);
		return true;
	} catch {
		return false;
	}
}
