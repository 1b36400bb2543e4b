/** Which volume a claim may have (component-helpers storage/volume FindMatchingVolume, pv_controller checkVolumeSatisfyClaim). Pure. */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../gen/types.ts';
import { compareQuantities } from '../quantity.ts';
import { matchesLabelSelector } from '../selector/label.ts';
import { classOfClaim, classOfVolume } from './class.ts';
import { volumeFitsNode } from './node-affinity.ts';

/** Whether the volume names this claim: by name, and by uid where it has one. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
	const ref = volume.spec?.claimRef;
	if (ref === undefined || ref.name !== claim.metadata.name || ref.namespace !== claim.metadata.namespace) return false;
	return (ref.uid ?? '') === '' || ref.uid === claim.metadata.uid;
}

export function sameVolumeMode(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
	return (claim.spec?.volumeMode ?? 'Filesystem') === (volume.spec?.volumeMode ?? 'Filesystem');
}

/** All modes that the claim asks for. */
function hasAccessModes(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
	const has = new Set(volume.spec?.accessModes ?? []);
	return (claim.spec?.accessModes ?? []).every((mode) => has.has(mode));
}

/** Why a volume that the claim names will not do, in upstream's words; undefined where it does. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
	if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${volume.metadata.name}"`;
	if (isTooSmall(volume, claim)) return 'requested PV is too small';
	if (classOfVolume(volume) !== classOfClaim(claim)) return 'storageClassName does not match';
	if (!sameAttributesClass(volume, claim)) return 'volumeAttributesClassName does not match';
	if (!sameVolumeMode(claim, volume)) return 'incompatible volumeMode';
	return hasAccessModes(claim, volume) ? undefined : 'incompatible accessMode';
}

export interface Search {
	/** Only volumes that this node reaches. */
	readonly node?: Node;
	/** Names of volumes that are spoken for. */
	readonly taken?: ReadonlySet<string>;
	/** Of a class that waits for its consumer: only volumes bound to the claim beforehand, until a node is chosen. */
	readonly isDelayed: boolean;
}

/** The volume bound to the claim beforehand, else the smallest that will do; of several access modes the fewest. */
export function findVolume(
	claim: PersistentVolumeClaim,
	volumes: readonly PersistentVolume[],
	{ node, taken, isDelayed }: Search,
): PersistentVolume | undefined {
	let best: PersistentVolume | undefined;
	for (const volume of volumes) {
		if (taken?.has(volume.metadata.name ?? '') === true) continue;
		const isBound = isBoundTo(volume, claim);
		if (volume.spec?.claimRef !== undefined && !isBound) continue;
		// A volume bound to the claim beforehand needs neither its class nor its access modes, as upstream has it for a chosen node.
		if (isTooSmall(volume, claim) || !sameVolumeMode(claim, volume) || !sameAttributesClass(volume, claim)) continue;
		if (volume.metadata.deletionTimestamp !== undefined) continue;
		const isReached = node === undefined || volumeFitsNode(volume, node.metadata.labels ?? {});
		if (isBound) {
			if (node === undefined && !hasAccessModes(claim, volume)) continue;
			return isReached ? volume : undefined;
		}
		if ((node === undefined && isDelayed) || volume.status?.phase !== 'Available' || !isReached) continue;
		const { selector } = claim.spec ?? {};
		if (selector !== undefined && !matchesLabelSelector(selector, volume.metadata.labels ?? {})) continue;
		if (classOfVolume(volume) !== classOfClaim(claim) || !hasAccessModes(claim, volume)) continue;
		if (best === undefined || isBetter(volume, best, node === undefined)) best = volume;
	}
	return best;
}

/** The binder looks through groups of volumes with the same access modes, those with the fewest first; the scheduler looks at sizes alone. */
function isBetter(volume: PersistentVolume, than: PersistentVolume, byModes: boolean): boolean {
	const [modes, others] = [modesOf(volume), modesOf(than)];
	return byModes && modes !== others ? modes < others : compareQuantities(sizeOf(volume), sizeOf(than)) < 0;
}

function modesOf(volume: PersistentVolume): number {
	return new Set(volume.spec?.accessModes ?? []).size;
}

function isTooSmall(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
	return compareQuantities(sizeOf(volume), claim.spec?.resources?.requests?.['storage'] ?? '0') < 0;
}

function sizeOf(volume: PersistentVolume): string | number {
	return volume.spec?.capacity?.['storage'] ?? '0';
}

function sameAttributesClass(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
	return (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');
}
