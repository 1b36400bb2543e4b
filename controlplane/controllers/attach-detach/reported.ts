/** The volumes that a node's status says are attached: kubelets mount none that is not there. Pure. */
import type { AttachedVolume, PersistentVolume, VolumeAttachment } from '../../../api/gen/types.ts';
import { uniqueVolumeName } from '../../../api/storage/attachment.ts';
import { volumeOf } from './plan.ts';

export function reportedVolumes(
	attachments: readonly VolumeAttachment[],
	volume: (name: string) => PersistentVolume | undefined,
): readonly AttachedVolume[] {
	const names = new Set<string>();
	for (const attachment of attachments) {
		const csi = volume(volumeOf(attachment))?.spec?.csi;
		if (csi === undefined || attachment.status?.attached !== true || attachment.metadata.deletionTimestamp !== undefined) continue;
		names.add(uniqueVolumeName(csi));
	}
	return [...names].toSorted().map((name) => ({ name, devicePath: '' }));
}
