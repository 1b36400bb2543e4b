/** What pods are told about their volumes, in upstream's words (a message without a cause ends with a blank). Pure. */
import type { PersistentVolume, Pod } from '../../../api/gen/types.ts';

export function attachSucceeded(volume: PersistentVolume): string {
	return `AttachVolume.Attach succeeded for volume "${volume.metadata.name}" `;
}

export function attachFailed(volume: PersistentVolume, why: string): string {
	return `AttachVolume.Attach failed for volume "${volume.metadata.name}" : ${why}`;
}

export function attachTimedOut({ spec }: PersistentVolume): string {
	return `timed out waiting for external-attacher of ${spec?.csi?.driver} CSI driver to attach volume ${spec?.csi?.volumeHandle}`;
}

/** Each pod is told of pods in its own namespace by name, and how many others there are. */
export function multiAttach(volume: PersistentVolume, pod: Pod, users: readonly Pod[]): string {
	return `Multi-Attach error for volume "${volume.metadata.name}" ${multiAttachCause(pod, users)}`;
}

function multiAttachCause(pod: Pod, users: readonly Pod[]): string {
	if (users.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another";
	const local = users.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace).map(({ metadata }) => metadata.name);
	const others = users.length - local.length;
	const elsewhere = `${others} pod(s) in different namespaces`;
	if (local.length === 0) return `Volume is already used by ${elsewhere}`;
	return `Volume is already used by pod(s) ${local.join(', ')}${others > 0 ? ` and ${elsewhere}` : ''}`;
}
