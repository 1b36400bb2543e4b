/** Which size a claim's volume is to have next, while an earlier growth may be under way or have failed (external-resizer's expand_and_recover). Pure. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { compareQuantities } from '../../../api/quantity.ts';

/** @param failed the last controller growth ended with a failure that is final, so another size may be asked for */
export function nextSize(claim: PersistentVolumeClaim, volume: PersistentVolume, failed: boolean): string | undefined {
	const asked = claim.spec?.resources?.requests?.['storage'] ?? '0';
	const has = volume.spec?.capacity?.['storage'] ?? '0';
	const allocated = claim.status?.allocatedResources?.['storage'];
	const status = claim.status?.allocatedResourceStatuses?.['storage'];
	if (compareQuantities(has, asked) < 0)
		switch (status) {
			case 'NodeResizeInfeasible':
				return allocated ?? asked;
			case 'NodeResizePending':
			case 'NodeResizeInProgress': {
				// The node's growth first.
				const size = allocated ?? asked;
				return compareQuantities(has, size) >= 0 ? undefined : size;
			}
			case 'ControllerResizeInProgress':
				return failed ? asked : (allocated ?? asked);
			default:
				return asked;
		}
	switch (status) {
		case 'NodeResizePending':
		case 'NodeResizeInProgress':
			return undefined;
		case 'NodeResizeInfeasible':
		case 'ControllerResizeInProgress':
		case 'ControllerResizeInfeasible':
			return allocated ?? asked;
		default:
			if (allocated !== undefined && (status ?? '') === '') return allocated;
			return claim.status?.conditions?.some((c) => c.type === 'FileSystemResizePending' && c.status === 'True') === true
				? undefined
				: asked;
	}
}

/** Bound, and asked to be larger than it is. */
export function needsResize({ spec, status }: PersistentVolumeClaim): boolean {
	if (status?.phase !== 'Bound' || (spec?.volumeName ?? '') === '') return false;
	return compareQuantities(spec?.resources?.requests?.['storage'] ?? '0', status.capacity?.['storage'] ?? '0') > 0;
}
