/** Which volumes of a pod are to be attached to its node (upstream's DesiredStateOfWorld). Pure. */
import type { ContainerStatus, CSIDriver, PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { isOwnedBy, podClaims } from '../../../api/storage/pod-claims.ts';

export interface Wanted {
	readonly volume: PersistentVolume;
	/** Those on this node that use it. */
	readonly pods: readonly Pod[];
}

export interface Storage {
	claim(key: string): PersistentVolumeClaim | undefined;
	volume(name: string): PersistentVolume | undefined;
	driver(name: string): CSIDriver | undefined;
}

/** By name of the volume. */
export function wantedBy(pods: readonly Pod[], storage: Storage): ReadonlyMap<string, Wanted> {
	const wanted = new Map<string, Wanted>();
	for (const pod of pods) {
		if (needsNothing(pod)) continue;
		for (const volume of attachable(pod, storage)) {
			const name = volume.metadata.name ?? '';
			wanted.set(name, { volume, pods: [...(wanted.get(name)?.pods ?? []), pod] });
		}
	}
	return wanted;
}

function attachable(pod: Pod, { claim, volume, driver }: Storage): readonly PersistentVolume[] {
	const found: PersistentVolume[] = [];
	for (const { name, isEphemeral } of podClaims(pod)) {
		const bound = claim(keyOf({ metadata: { namespace: pod.metadata.namespace, name } }));
		if (bound?.status?.phase !== 'Bound' || (isEphemeral && !isOwnedBy(bound, pod))) continue;
		const its = volume(bound.spec?.volumeName ?? '');
		const { csi, claimRef } = its?.spec ?? {};
		if (its === undefined || csi === undefined || claimRef?.uid !== bound.metadata.uid) continue;
		// A driver without a CSIDriver object is taken to want it.
		if (driver(csi.driver)?.spec.attachRequired !== false && !found.includes(its)) found.push(its);
	}
	return found;
}

/** It has ended, or it is being deleted and nothing of it runs, as its kubelet says of each container. */
function needsNothing({ metadata, status }: Pod): boolean {
	if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
	const containers = [status?.initContainerStatuses, status?.containerStatuses, status?.ephemeralContainerStatuses];
	const isOff = (one: ContainerStatus | undefined): boolean =>
		one === undefined || one.state?.terminated !== undefined || one.state?.waiting !== undefined;
	return metadata.deletionTimestamp !== undefined && containers.flat().every(isOff);
}

/** Whether several nodes may have it at once; a volume that does not say may. */
export function allowsSeveralNodes({ spec }: PersistentVolume): boolean {
	const modes = spec?.accessModes ?? [];
	return modes.length === 0 || modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}
