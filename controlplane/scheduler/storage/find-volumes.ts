/** Which volumes a pod would have on a node: those it has, those to bind, those to be made there (upstream's FindPodVolumes). Pure. */
import type { CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { compareQuantities } from '../../../api/quantity.ts';
import { keyOf } from '../../../api/resource.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { NO_PROVISIONER, SELECTED_NODE } from '../../../api/storage/annotations.ts';
import { classOfClaim } from '../../../api/storage/class.ts';
import { findVolume } from '../../../api/storage/match.ts';
import { volumeFitsNode } from '../../../api/storage/node-affinity.ts';
import type { ClaimsByState } from './claims.ts';
import type { StorageView } from './view.ts';

export interface Found {
	readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
	readonly provisions: readonly PersistentVolumeClaim[];
}

const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const NOT_ENOUGH_SPACE = 'node(s) did not have enough free storage';
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

export function findVolumes(claims: ClaimsByState, node: Node, view: StorageView): Found | { readonly reasons: readonly string[] } {
	const bound = boundReason(claims.bound, node, view);
	const open = forDelayed(claims.delayed, node, view);
	const reasons = [
		...(bound === NODE_CONFLICT ? [bound] : []),
		...('reason' in open ? [open.reason] : []),
		...(bound === NO_VOLUME ? [bound] : []),
	];
	return 'reason' in open || reasons.length > 0 ? { reasons } : open;
}

function boundReason(claims: readonly PersistentVolumeClaim[], node: Node, view: StorageView): string | undefined {
	for (const claim of claims) {
		const volume = view.volume(claim.spec?.volumeName ?? '');
		if (volume === undefined) return NO_VOLUME;
		if (!volumeFitsNode(volume, node.metadata.labels ?? {})) return NODE_CONFLICT;
	}
	return undefined;
}

function forDelayed(claims: readonly PersistentVolumeClaim[], node: Node, view: StorageView): Found | { readonly reason: string } {
	const toProvision: PersistentVolumeClaim[] = [];
	const toMatch: PersistentVolumeClaim[] = [];
	for (const claim of claims) {
		const selected = claim.metadata.annotations?.[SELECTED_NODE];
		if (selected !== undefined && selected !== node.metadata.name) return { reason: BIND_CONFLICT };
		(selected === undefined ? toMatch : toProvision).push(claim);
	}
	const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
	const taken = new Set<string>();
	// The smallest first, so that it takes none that a larger one needs.
	for (const claim of toMatch.toSorted((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))) {
		const volume = findVolume(claim, view.candidates(keyOf(claim), classOfClaim(claim)), { node, taken, isDelayed: true });
		if (volume === undefined) {
			toProvision.push(claim);
			continue;
		}
		taken.add(volume.metadata.name ?? '');
		bindings.push({ claim, volume });
	}
	for (const claim of toProvision) {
		const reason = whyNotMade(claim, node, view);
		if (reason !== undefined) return { reason };
	}
	return { bindings, provisions: toProvision };
}

/** Why no volume can be made for the claim on this node. */
function whyNotMade(claim: PersistentVolumeClaim, node: Node, view: StorageView): string | undefined {
	const storageClass = view.storageClass(classOfClaim(claim));
	if (storageClass === undefined || storageClass.provisioner === '' || storageClass.provisioner === NO_PROVISIONER) return BIND_CONFLICT;
	if (!isAllowed(storageClass, node)) return BIND_CONFLICT;
	if (view.driver(storageClass.provisioner)?.spec.storageCapacity !== true) return undefined;
	const hasRoom = view
		.capacities(storageClass.metadata.name ?? '')
		.some((capacity) => isEnough(capacity, sizeOf(claim)) && reaches(capacity, node));
	return hasRoom ? undefined : NOT_ENOUGH_SPACE;
}

/** Any of the terms, with all of its keys; without terms everywhere. */
function isAllowed({ allowedTopologies }: StorageClass, node: Node): boolean {
	if (allowedTopologies === undefined || allowedTopologies.length === 0) return true;
	return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
		matchLabelExpressions.every(({ key, values }) => values.includes(node.metadata.labels?.[key] ?? '\0')),
	);
}

/** What a driver says that one volume may have there: the largest if it says so, else what is left in all. */
export function volumeLimit({ maximumVolumeSize, capacity }: CSIStorageCapacity): string | number | undefined {
	return maximumVolumeSize ?? capacity;
}

function isEnough(capacity: CSIStorageCapacity, size: string | number): boolean {
	const limit = volumeLimit(capacity);
	return limit !== undefined && compareQuantities(limit, size) >= 0;
}

function reaches({ nodeTopology }: CSIStorageCapacity, node: Node): boolean {
	return nodeTopology !== undefined && matchesLabelSelector(nodeTopology, node.metadata.labels ?? {});
}

function sizeOf({ spec }: PersistentVolumeClaim): string | number {
	return spec?.resources?.requests?.['storage'] ?? '0';
}
