/**
 * What the binder does next with a volume (upstream's syncVolume). Pure.
 *
 *     Available --claim bound--> Bound --claim gone--> Released --reclaimed by its policy--> (deleted) | Failed | Available (recycled)
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { PROVISIONED_BY, hasAnnotation } from '../../../api/storage/annotations.ts';
import { sameVolumeMode } from '../../../api/storage/match.ts';

export type VolumeStep =
	| { readonly do: 'phase'; readonly phase: 'Available' | 'Bound' }
	/** Released first, where it is neither that nor Failed; then by its reclaim policy. */
	| { readonly do: 'reclaim' }
	/** The claim does not name it yet: the claim is looked at. */
	| { readonly do: 'claim' }
	/** It names a claim of the other volume mode; both are told. */
	| { readonly do: 'mismatch'; readonly told: string; readonly claimTold: string }
	| { readonly do: 'unbind' };

/** @param claim the one that the volume names by name and uid; undefined where that is gone */
export function volumeStep(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep {
	if ((volume.spec?.claimRef?.uid ?? '') === '') return { do: 'phase', phase: 'Available' };
	if (claim === undefined) return { do: 'reclaim' };
	const named = claim.spec?.volumeName ?? '';
	if (named === volume.metadata.name) return { do: 'phase', phase: 'Bound' };
	if (named !== '') {
		const isMade = hasAnnotation(volume, PROVISIONED_BY) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
		return { do: isMade ? 'reclaim' : 'unbind' };
	}
	if (sameVolumeMode(claim, volume)) return { do: 'claim' };
	const why = 'due to incompatible volumeMode.';
	return {
		do: 'mismatch',
		told: `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`,
		claimTold: `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`,
	};
}
