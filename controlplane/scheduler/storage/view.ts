/** What volume plugins know of storage at the moment of a decision. */
import type {
	CSIDriver,
	CSINode,
	CSIStorageCapacity,
	PersistentVolume,
	PersistentVolumeClaim,
	StorageClass,
	VolumeAttachment,
} from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';

export interface StorageView {
	claim(key: Key): PersistentVolumeClaim | undefined;
	volume(name: string): PersistentVolume | undefined;
	/** Volumes that name the claim, and those of the class that name none. */
	candidates(claim: Key, storageClass: string): readonly PersistentVolume[];
	storageClass(name: string): StorageClass | undefined;
	driver(name: string): CSIDriver | undefined;
	csiNode(name: string): CSINode | undefined;
	/** Of the class. */
	capacities(storageClass: string): readonly CSIStorageCapacity[];
	attachments(node: string): readonly VolumeAttachment[];
}
