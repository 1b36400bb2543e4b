/** NodeVolumeLimits: no more volumes of a driver on a node than the driver says it takes (CSINode). */
import type { PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { classOfClaim } from '../../../api/storage/class.ts';
import { isOwnedBy, podClaims } from '../../../api/storage/pod-claims.ts';
import { blocked, impossible, type FilterPlugin } from '../framework.ts';
import { notFound } from '../storage/claims.ts';
import type { StorageView } from '../storage/view.ts';

/** Drivers by unique names of their volumes. */
type Volumes = Map<string, string>;

export function nodeVolumeLimits(view: StorageView): FilterPlugin {
	return {
		name: 'NodeVolumeLimits',
		wokenBy: ['csiNodeAdded', 'csiNodeGrown', 'podDeleted', 'claimChanged', 'attachmentDeleted'],
		prepare({ pod }) {
			if (podClaims(pod).length === 0) return 'skip';
			return ({ name, pods }) => {
				const wanted: Volumes = new Map();
				const refused = addVolumes(pod, view, wanted);
				if (refused !== undefined) return impossible(refused);
				const limits = limitsOf(name, view);
				if (wanted.size === 0 || limits.size === 0) return undefined;
				const used: Volumes = new Map();
				for (const other of pods) addVolumes(other.pod, view, used);
				for (const { spec } of view.attachments(name)) {
					const csi = view.volume(spec.source.persistentVolumeName ?? '')?.spec?.csi;
					if (csi !== undefined) used.set(uniqueName(spec.attacher, csi.volumeHandle), spec.attacher);
				}
				const more = new Map([...wanted].filter(([volume]) => !used.has(volume)));
				const exceeds = [...new Set(more.values())].some((driver) => {
					const limit = limits.get(driver);
					return limit !== undefined && countOf(used, driver) + countOf(more, driver) > limit;
				});
				return exceeds ? blocked('node(s) exceed max volume count') : undefined;
			};
		},
	};
}

/** Adds what the pod's claims take of CSI drivers; why they cannot be told, where a claim is missing. */
function addVolumes(pod: Pod, view: StorageView, volumes: Volumes): string | undefined {
	let refused: string | undefined;
	for (const { name, isEphemeral } of podClaims(pod)) {
		const key = keyOf({ metadata: { namespace: pod.metadata.namespace, name } });
		const claim = view.claim(key);
		if (claim === undefined) {
			refused ??= `looking up PVC ${key}: ${notFound(name)}`;
			continue;
		}
		if (isEphemeral && !isOwnedBy(claim, pod)) continue;
		const volume = driverVolume(claim, view);
		if (volume !== undefined) volumes.set(uniqueName(volume.driver, volume.handle), volume.driver);
	}
	return refused;
}

/** Of a claim without a volume: what its class will make, by a name that no volume has. */
function driverVolume(claim: PersistentVolumeClaim, view: StorageView): { readonly driver: string; readonly handle: string } | undefined {
	const volume = view.volume(claim.spec?.volumeName ?? '');
	if (volume !== undefined) {
		const { csi } = volume.spec ?? {};
		return csi === undefined ? undefined : { driver: csi.driver, handle: csi.volumeHandle };
	}
	const provisioner = view.storageClass(classOfClaim(claim))?.provisioner ?? '';
	return provisioner === '' ? undefined : { driver: provisioner, handle: `\0${keyOf(claim)}` };
}

function limitsOf(node: string, view: StorageView): ReadonlyMap<string, number> {
	const limits = new Map<string, number>();
	for (const { name, allocatable } of view.csiNode(node)?.spec.drivers ?? [])
		if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
	return limits;
}

function uniqueName(driver: string, handle: string): string {
	return `${driver}/${handle}`;
}

function countOf(volumes: ReadonlyMap<string, string>, driver: string): number {
	return [...volumes.values()].filter((one) => one === driver).length;
}
