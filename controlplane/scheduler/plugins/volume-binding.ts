/** VolumeBinding: a node that reaches the pod's volumes, and where those that wait for a node can be found or made. */
import { impossible, type FilterPlugin } from '../framework.ts';
import { claimsByState } from '../storage/claims.ts';
import { findVolumes } from '../storage/find-volumes.ts';
import { VOLUME_BINDING } from '../storage/reservation.ts';
import type { StorageView } from '../storage/view.ts';

export function volumeBinding(view: StorageView): FilterPlugin {
	return {
		name: VOLUME_BINDING,
		wokenBy: ['storageClassChanged', 'claimChanged', 'volumeChanged', 'nodeAdded', 'nodeLabel', 'csiNodeAdded', 'capacityGrown'],
		prepare({ pod }) {
			const claims = claimsByState(pod, view);
			if (claims === undefined) return 'skip';
			if ('refused' in claims) return impossible(claims.refused);
			if (claims.immediate.length > 0) return impossible('pod has unbound immediate PersistentVolumeClaims');
			return ({ node }) => {
				const found = findVolumes(claims, node, view);
				return 'reasons' in found ? impossible(...found.reasons) : undefined;
			};
		},
	};
}
