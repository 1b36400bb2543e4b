/** NodeStageVolume and its opposite: the volume on this node, at one path. The record says what is meant, the mount table what is. */
import { mkdir } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import { unmount } from '../../host/mounts.ts';
import type { StageRequest } from '../backends/backend.ts';
import { tuneDevices } from '../backends/tune.ts';
import { isMultiNode, isReadOnlyMode, readCapability, sameCapability, type Capability } from '../capability.ts';
import { backendOf, readVolume, required, type Context, type Handler } from '../context.ts';
import { idOnNode, isId } from '../ids.ts';
import { readMutable } from '../parameters.ts';
import type { NodeStageVolumeRequest, NodeStageVolumeResponse, NodeUnstageVolumeRequest, NodeUnstageVolumeResponse } from '../proto.ts';
import type { NodeVolume } from '../records/node-records.ts';
import type { VolumeRecord } from '../records/records.ts';
import { undo } from '../undo.ts';
import { giveToGroup } from './mount-group.ts';
import { realTarget } from './paths.ts';
import { foldersOf } from '../records/volume-folders.ts';

export const stageVolume: Handler<NodeStageVolumeRequest, NodeStageVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	required('staging target path', request.stagingTargetPath);
	const capability = readCapability(request.volumeCapability);
	using _ = context.locks.take(idOnNode(id));
	const volume = await readVolume(context, id);
	const path = await realTarget(request.stagingTargetPath, context.options.targetRoots);
	if (capability.access.kind !== volume.access)
		throw new AppError('InvalidArgument', `Volume "${id}" is a ${volume.access} volume, not ${capability.access.kind}`);
	await stageAt(context, volume, capability, path);
	return {};
};

/** Mounts or attaches the volume, or makes sure that it is. Under the volume's lock; the path is real. */
export async function stageAt(context: Context, volume: VolumeRecord, capability: Capability, path: string): Promise<void> {
	const { options, nodes, steps } = context;
	const known = nodes.get(options.nodeId, volume.id);
	checkStaged(known, path, capability);
	await checkOthers(context, volume, isMultiNode(capability.mode));
	const backend = backendOf(context, volume);
	const stage: StageRequest = { dir: foldersOf(context, volume.id).dir(volume.id), facts: volume, capability, path };
	if (known.staged === undefined) nodes.put(options.nodeId, { ...known, staged: { path, capability } });
	await steps.done('NodeStageVolume: intended');
	if (!(await backend.isStaged(stage))) {
		try {
			await mkdir(path, { recursive: true, mode: 0o750 });
			await backend.prepare(stage);
			const lingering = backend.lingering?.(stage.dir);
			if (lingering !== undefined)
				context.log.warn('others still have the device that a volume was unstaged from', { volume: volume.id, device: lingering });
			await foldersOf(context, volume.id).settle(volume.id); // before anybody writes to it
			await steps.done('NodeStageVolume: checked');
			await backend.stage(stage);
		} catch (error) {
			await undo(context, `staging "${volume.id}"`, async () => {
				if (!(await backend.isStaged(stage))) nodes.put(options.nodeId, { ...known, staged: undefined });
			});
			throw error;
		}
		await steps.done('NodeStageVolume: mounted');
	}
	const { access } = capability;
	if (access.kind === 'mount' && access.group !== undefined && !isReadOnlyMode(capability.mode)) await giveToGroup(path, access.group);
	await steps.done('NodeStageVolume: group set');
	await tuneDevices(stage.dir, readMutable(volume.mutableParameters));
	await context.limits.apply(volume);
}

function checkStaged(known: NodeVolume, path: string, capability: Capability): void {
	const { staged } = known;
	if (staged === undefined || (staged.path === path && sameCapability(staged.capability, capability))) return;
	throw new AppError('AlreadyExists', `Volume "${known.id}" is staged at "${staged.path}" in another way`);
}

/** Nodes of one pool are on one host and see each other's mounts: a volume for one node is staged by one. */
async function checkOthers(context: Context, volume: VolumeRecord, shared: boolean): Promise<void> {
	const users = context.nodes.usersOf(volume.id);
	const other = users.find(({ nodeId }) => nodeId !== context.options.nodeId);
	if (other === undefined) return;
	if (shared && other.volume.staged !== undefined && isMultiNode(other.volume.staged.capability.mode)) return;
	throw new AppError('FailedPrecondition', `Volume "${volume.id}" is staged on node "${other.nodeId}"`);
}

/** Refused while it is published; not staged, or no volume at all, is success. */
export const unstageVolume: Handler<NodeUnstageVolumeRequest, NodeUnstageVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	required('staging target path', request.stagingTargetPath);
	if (!isId('vol', id)) return {};
	using _ = context.locks.take(id);
	const { nodes, options } = context;
	const known = nodes.get(options.nodeId, id);
	if (known.staged === undefined) return {};
	const { path } = known.staged;
	if ((await realTarget(request.stagingTargetPath, options.targetRoots)) !== path) return {};
	if (known.targets.length > 0) throw new AppError('FailedPrecondition', `Volume "${id}" is published at "${known.targets[0]?.path}"`);
	await unstageAt(context, known);
	return {};
};

/** Under the volume's lock. Nothing is staged: nothing to do. */
export async function unstageAt(context: Context, { id, staged }: NodeVolume): Promise<void> {
	if (staged === undefined) return;
	const { nodes, options, steps } = context;
	const folders = foldersOf(context, id);
	const volume = await folders.read(id);
	if (volume === undefined) await unmount(staged.path);
	else {
		const shared = await isSharedHere(context, id);
		if (!shared) await context.limits.lift(id);
		await backendOf(context, volume).unstage(folders.dir(id), volume, staged.path, shared);
	}
	await steps.done('NodeUnstageVolume: unmounted');
	nodes.put(options.nodeId, { id, targets: [] });
	await steps.done('NodeUnstageVolume: forgotten');
}

async function isSharedHere({ nodes, options }: Context, id: string): Promise<boolean> {
	return nodes.usersOf(id).some(({ nodeId }) => nodeId !== options.nodeId);
}
