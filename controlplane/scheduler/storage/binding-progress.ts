/** How far the binding of a placed pod's volumes is (upstream's checkBindings). Pure. */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { SELECTED_NODE } from '../../../api/storage/annotations.ts';
import { volumeFitsNode } from '../../../api/storage/node-affinity.ts';
import { isOlderVersion } from '../../../client/resource-version.ts';
import { isFullyBound } from './claims.ts';

/** What was written for the pod. */
export interface Written {
	readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
	readonly provisions: readonly PersistentVolumeClaim[];
}

/** What the API shows. */
export interface Shown {
	readonly node: Node | undefined;
	readonly hasPod: boolean;
	volume(name: string): PersistentVolume | undefined;
	claim(key: Key): PersistentVolumeClaim | undefined;
}

export type BindingProgress = 'done' | 'waiting' | { readonly failed: string };

export function bindingProgress({ bindings, provisions }: Written, nodeName: string, shown: Shown): BindingProgress {
	const { node } = shown;
	if (node === undefined) return { failed: `failed to get node "${nodeName}": node "${nodeName}" not found` };
	if (!shown.hasPod) return { failed: 'pod does not exist any more' };
	let progress: BindingProgress = 'done';
	for (const one of [
		...bindings.map(({ claim, volume }) => ofBinding(claim, volume, node, shown)),
		...provisions.map((claim) => ofProvision(claim, node, shown)),
	]) {
		if (typeof one === 'object') return one;
		if (one === 'waiting') progress = 'waiting';
	}
	return progress;
}

function ofBinding(claim: PersistentVolumeClaim, written: PersistentVolume, node: Node, shown: Shown): BindingProgress {
	const name = written.metadata.name ?? '';
	const volume = shown.volume(name);
	const current = shown.claim(keyOf(claim));
	if (volume === undefined) return { failed: `failed to check binding: could not find v1.PersistentVolume "${name}"` };
	if (current === undefined) return { failed: `failed to check binding: could not find v1.PersistentVolumeClaim "${keyOf(claim)}"` };
	if (isOlderVersion(volume, written)) return 'waiting';
	if (!volumeFitsNode(volume, node.metadata.labels ?? {})) return affinityFailure(volume, node);
	if ((volume.spec?.claimRef?.uid ?? '') === '') return { failed: `ClaimRef got reset for pv "${name}"` };
	return isFullyBound(current) ? 'done' : 'waiting';
}

function ofProvision(written: PersistentVolumeClaim, node: Node, shown: Shown): BindingProgress {
	const claim = shown.claim(keyOf(written));
	if (claim === undefined)
		return { failed: `failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "${keyOf(written)}"` };
	if (isOlderVersion(claim, written)) return 'waiting';
	const { name, annotations } = claim.metadata;
	if (annotations === undefined) return { failed: `selectedNode annotation reset for PVC "${name}"` };
	if (annotations[SELECTED_NODE] !== node.metadata.name) return { failed: `provisioning failed for PVC "${name}"` };
	const volumeName = claim.spec?.volumeName ?? '';
	if (volumeName !== '') {
		const volume = shown.volume(volumeName);
		if (volume === undefined) return 'waiting';
		if (!volumeFitsNode(volume, node.metadata.labels ?? {})) return affinityFailure(volume, node);
	}
	return isFullyBound(claim) ? 'done' : 'waiting';
}

function affinityFailure({ metadata }: PersistentVolume, node: Node): BindingProgress {
	return { failed: `pv "${metadata.name}" node affinity doesn't match node "${node.metadata.name}": no matching NodeSelectorTerms` };
}
