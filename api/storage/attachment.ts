/** How attachments of CSI volumes are named, on the API and in the status of nodes (upstream's pkg/volume/csi). Pure. */
import { createHash } from 'node:crypto';

/** What a driver calls a volume. */
export interface DriverVolume {
	readonly driver: string;
	readonly volumeHandle: string;
}

/** The VolumeAttachment of a volume to a node. */
export function attachmentName({ driver, volumeHandle }: DriverVolume, node: string): string {
	return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}

/** As node.status.volumesAttached and volumesInUse name it. */
export function uniqueVolumeName({ driver, volumeHandle }: DriverVolume): string {
	return `kubernetes.io/csi/${driver}^${volumeHandle}`;
}
