/** What changes of storage mean for pods that wait. Pure. */
import type {
	CSINode,
	CSIStorageCapacity,
	PersistentVolume,
	PersistentVolumeClaim,
	StorageClass,
	VolumeAttachment,
} from '../../../api/gen/types.ts';
import { compareQuantities } from '../../../api/quantity.ts';
import { sameJson } from '../../../api/same-json.ts';
import type { Change } from '../../../client/cache.ts';
import type { ClusterEvent } from '../framework.ts';
import { volumeLimit } from './find-volumes.ts';

export function claimEvents({ after }: Change<PersistentVolumeClaim>): readonly ClusterEvent[] {
	return after === undefined ? [] : ['claimChanged'];
}

export function volumeEvents({ after }: Change<PersistentVolume>): readonly ClusterEvent[] {
	return after === undefined ? [] : ['volumeChanged'];
}

export function classEvents({ before, after }: Change<StorageClass>): readonly ClusterEvent[] {
	if (after === undefined) return [];
	return before !== undefined && sameJson(before.allowedTopologies ?? null, after.allowedTopologies ?? null) ? [] : ['storageClassChanged'];
}

export function csiNodeEvents({ before, after }: Change<CSINode>): readonly ClusterEvent[] {
	if (after === undefined) return [];
	if (before === undefined) return ['csiNodeAdded'];
	// Go's API servers say null for none.
	const driversOf = (node: CSINode): CSINode['spec']['drivers'] => (node.spec.drivers as CSINode['spec']['drivers'] | null) ?? [];
	const limitOf = (node: CSINode, name: string): number => driversOf(node).find((d) => d.name === name)?.allocatable?.count ?? 0;
	return driversOf(after).some(({ name }) => limitOf(after, name) > limitOf(before, name)) ? ['csiNodeGrown'] : [];
}

export function capacityEvents({ before, after }: Change<CSIStorageCapacity>): readonly ClusterEvent[] {
	if (after === undefined) return [];
	if (before === undefined) return ['capacityGrown'];
	const [was, is] = [volumeLimit(before), volumeLimit(after)];
	return is !== undefined && (was === undefined || compareQuantities(is, was) > 0) ? ['capacityGrown'] : [];
}

export function attachmentEvents({ after }: Change<VolumeAttachment>): readonly ClusterEvent[] {
	return after === undefined ? ['attachmentDeleted'] : [];
}
