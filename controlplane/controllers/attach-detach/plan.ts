/** What to attach to a node and what to detach from it (upstream's attachdetach reconciler). Pure. */
import type { Node, PersistentVolume, VolumeAttachment } from '../../../api/gen/types.ts';
import { attachmentName, uniqueVolumeName } from '../../../api/storage/attachment.ts';
import { isNodeReady } from '../../../api/pod/node-ready.ts';
import { allowsSeveralNodes, type Wanted } from './wanted.ts';

/** Upstream's maxWaitForUnmountDuration: after this a volume is taken from a node that is not ready. */
const MAX_UNMOUNT_MS = 6 * 60_000;

export type Step =
	| { readonly do: 'attach'; readonly wanted: Wanted }
	/** Another node has it, and only one may. */
	| { readonly do: 'refuse'; readonly wanted: Wanted; readonly nodes: readonly string[] }
	| { readonly do: 'detach'; readonly attachment: VolumeAttachment; readonly forced?: 'timeout' | 'out-of-service' }
	/** Unwanted, but the node still uses it; looked at again at the latest then. */
	| { readonly do: 'await'; readonly attachment: VolumeAttachment; readonly afterMs: number };

export interface NodeView {
	readonly name: string;
	readonly node: Node | undefined;
	readonly wanted: ReadonlyMap<string, Wanted>;
	/** Of this node. */
	readonly attachments: readonly VolumeAttachment[];
	/** Attachments of the volume to any node. */
	attachmentsOf(volume: string): readonly VolumeAttachment[];
	volume(name: string): PersistentVolume | undefined;
	/** How long the attachment has been unwanted, ms. */
	unwantedMs(attachment: string): number;
}

export function planNode(view: NodeView): readonly Step[] {
	return [...detachSteps(view), ...attachSteps(view)];
}

export function volumeOf(attachment: VolumeAttachment): string {
	return attachment.spec.source.persistentVolumeName ?? '';
}

function detachSteps(view: NodeView): readonly Step[] {
	const steps: Step[] = [];
	const names = new Set([...view.wanted.values()].map(({ volume }) => nameOn(volume, view.name)));
	for (const attachment of view.attachments) {
		const name = attachment.metadata.name ?? '';
		if (names.has(name) || attachment.metadata.deletionTimestamp !== undefined) continue;
		if (view.node?.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') === true) {
			steps.push({ do: 'detach', attachment, forced: 'out-of-service' });
		} else if (!isInUse(view, attachment)) steps.push({ do: 'detach', attachment });
		else {
			const afterMs = MAX_UNMOUNT_MS - view.unwantedMs(name);
			const isReady = view.node !== undefined && isNodeReady(view.node);
			if (afterMs <= 0 && !isReady) steps.push({ do: 'detach', attachment, forced: 'timeout' });
			else steps.push({ do: 'await', attachment, afterMs: afterMs > 0 ? afterMs : MAX_UNMOUNT_MS });
		}
	}
	return steps;
}

/** Of a node that is not there nobody knows. */
function isInUse({ node, volume }: NodeView, attachment: VolumeAttachment): boolean {
	if (node === undefined) return true;
	const csi = volume(volumeOf(attachment))?.spec?.csi;
	return csi !== undefined && node.status?.volumesInUse?.includes(uniqueVolumeName(csi)) === true;
}

function attachSteps(view: NodeView): readonly Step[] {
	const steps: Step[] = [];
	const has = new Set(view.attachments.map(({ metadata }) => metadata.name));
	// Whatever it says.
	const isManaged = view.node?.metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'] !== undefined;
	for (const [name, wanted] of isManaged ? view.wanted : []) {
		if (has.has(nameOn(wanted.volume, view.name))) continue;
		const elsewhere = allowsSeveralNodes(wanted.volume) ? [] : view.attachmentsOf(name).filter(({ spec }) => spec.nodeName !== view.name);
		if (elsewhere.length === 0) steps.push({ do: 'attach', wanted });
		else if (elsewhere.every(({ metadata }) => metadata.deletionTimestamp === undefined))
			steps.push({ do: 'refuse', wanted, nodes: elsewhere.map(({ spec }) => spec.nodeName) });
	}
	return steps;
}

function nameOn({ spec }: PersistentVolume, node: string): string {
	return spec?.csi === undefined ? '' : attachmentName(spec.csi, node);
}
