/** NodePublishVolume and its opposite: a staged volume at a pod's path. */
import { lstat, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, ignoreErrno } from '../../base/errors.ts';
import { bindHeld, unmountLocal } from '../../host/held-mount.ts';
import { isMounted } from '../../host/mounted.ts';
import { mountAt, readMounts } from '../../host/mounts.ts';
import { isReadOnlyMode, readCapability, sameCapability, type Capability } from '../capability.ts';
import { backendOf, readVolume, required, type Context, type Handler } from '../context.ts';
import { READ_ONLY } from '../controller/volume-message.ts';
import { idOnNode, isId } from '../ids.ts';
import type {
	NodePublishVolumeRequest,
	NodePublishVolumeResponse,
	NodeUnpublishVolumeRequest,
	NodeUnpublishVolumeResponse,
} from '../proto.ts';
import type { NodeVolume, Target } from '../records/node-records.ts';
import { undo } from '../undo.ts';
import { dropInline, isInline, withInline } from './inline.ts';
import { realTarget } from './paths.ts';
import { foldersOf } from '../records/volume-folders.ts';

export const publishVolume: Handler<NodePublishVolumeRequest, NodePublishVolumeResponse> = async (context, request) => {
	const id = idOnNode(required('volume id', request.volumeId));
	required('target path', request.targetPath);
	const capability = readCapability(request.volumeCapability);
	const inline = isInline(request);
	if (!inline && request.stagingTargetPath === '')
		throw new AppError('FailedPrecondition', 'The staging target path is missing: the volume must be staged');
	using _ = context.locks.take(id);
	const { targetRoots } = context.options;
	const path = await realTarget(request.targetPath, targetRoots);
	const publish = (stagingPath: string): Promise<void> => publishAt(context, request, { id, capability, path, stagingPath });
	if (inline) await withInline(context, id, request, capability, publish);
	else await publish(await realTarget(request.stagingTargetPath, targetRoots));
	return {};
};

interface Publishing {
	readonly id: string;
	readonly capability: Capability;
	readonly path: string;
	readonly stagingPath: string;
}

async function publishAt(context: Context, request: NodePublishVolumeRequest, at: Publishing): Promise<void> {
	const { id, capability, path, stagingPath } = at;
	const { options, nodes, steps } = context;
	const volume = await readVolume(context, request.volumeId);
	const known = nodes.get(options.nodeId, id);
	if (capability.access.kind !== volume.access)
		throw new AppError('InvalidArgument', `Volume "${id}" is a ${volume.access} volume, not ${capability.access.kind}`);
	const backend = backendOf(context, volume);
	const dir = foldersOf(context, id).dir(id);
	const { staged } = known;
	if (staged?.path !== stagingPath || !(await backend.isStaged({ dir, facts: volume, capability: staged.capability, path: stagingPath })))
		throw new AppError('FailedPrecondition', `Volume "${id}" is not staged at "${stagingPath}"`);
	const readOnly = request.readonly || isReadOnlyMode(capability.mode) || request.publishContext[READ_ONLY] === 'true';
	const wanted: Target = { path, readonly: readOnly, capability };
	const repeated = checkTargets(known, wanted);
	const mounted = repeated ? mountAt(await readMounts(), path) : undefined;
	if (mounted !== undefined) {
		if (!readOnly || volume.access === 'block' || mounted.options.includes('ro')) return;
		await unmountLocal(context.mounter, path); // a crash came between the mount and its becoming read-only
	}
	if (!repeated) nodes.put(options.nodeId, { ...known, targets: [...known.targets, wanted] });
	await steps.done('NodePublishVolume: intended');
	try {
		await makeTarget(path, volume.access);
		await steps.done('NodePublishVolume: target made');
		if (volume.access === 'block') {
			const device = await backend.device(dir, readOnly);
			if (readOnly) await context.limits.apply(volume); // it may be new
			await bindHeld(context.mounter, device, path);
		} else await bindHeld(context.mounter, stagingPath, path, readOnly ? ['ro'] : []);
	} catch (error) {
		// Whoever is told that nothing was done does not undo it.
		await undo(context, `publishing "${id}"`, async () => {
			if (!repeated && !(await isMounted(path))) await forget(context, known, path);
		});
		throw error;
	}
	await context.limits.published(id);
	await steps.done('NodePublishVolume: mounted');
}

/** Whether it is the same once more. Throws for what contradicts what is published already. */
function checkTargets(known: NodeVolume, wanted: Target): boolean {
	const same = known.targets.find((t) => t.path === wanted.path);
	if (same !== undefined) {
		if (same.readonly === wanted.readonly && sameCapability(same.capability, wanted.capability)) return true;
		throw new AppError('AlreadyExists', `Volume "${known.id}" is published at "${wanted.path}" in another way`);
	}
	const exclusive = (c: Capability): boolean => c.mode === 'SINGLE_NODE_SINGLE_WRITER';
	const [other] = known.targets;
	if (other !== undefined && (exclusive(wanted.capability) || exclusive(other.capability)))
		throw new AppError('FailedPrecondition', `Volume "${known.id}" has its one user at "${other.path}"`);
	return false;
}

/** A folder, or a file for a device; what is there already must be that. */
async function makeTarget(path: string, access: 'mount' | 'block'): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o750 });
	if (access === 'mount') await mkdir(path, { mode: 0o750 }).catch(ignoreErrno('EEXIST'));
	else await open(path, 'wx', 0o600).then((file) => file.close(), ignoreErrno('EEXIST'));
	const found = await lstat(path);
	if (access === 'mount' ? !found.isDirectory() : !found.isFile())
		throw new AppError('FailedPrecondition', `"${path}" exists and is no ${access === 'mount' ? 'folder' : 'file'}`);
}

/** Not published, or no volume at all, is success. The target itself is removed, and only if it is empty. */
export const unpublishVolume: Handler<NodeUnpublishVolumeRequest, NodeUnpublishVolumeResponse> = async (context, request) => {
	const id = idOnNode(required('volume id', request.volumeId));
	required('target path', request.targetPath);
	using _ = context.locks.take(id);
	const { nodes, options } = context;
	const known = nodes.get(options.nodeId, id);
	const path = await realTarget(request.targetPath, options.targetRoots);
	if (known.targets.some((t) => t.path === path)) await unpublishAt(context, known, path);
	if (isId('inline', id)) await dropInline(context, id);
	return {};
};

/** Under the volume's lock; the path is one of the targets. */
export async function unpublishAt(context: Context, known: NodeVolume, path: string): Promise<void> {
	const { steps } = context;
	await unmountLocal(context.mounter, path);
	await steps.done('NodeUnpublishVolume: unmounted');
	await removeTarget(path);
	await steps.done('NodeUnpublishVolume: target removed');
	await forget(context, known, path);
	await steps.done('NodeUnpublishVolume: forgotten');
}

async function removeTarget(path: string): Promise<void> {
	const found = await lstat(path).catch(ignoreErrno('ENOENT'));
	if (found === undefined) return;
	if (found.isDirectory()) await rmdir(path);
	else await rm(path);
}

/** The target is none any more; a device that only readers had is given back. */
async function forget(context: Context, known: NodeVolume, path: string): Promise<void> {
	const targets = known.targets.filter((t) => t.path !== path);
	const volume = await context.volumes.read(known.id);
	if (volume?.access === 'block' && !targets.some((t) => t.readonly))
		await context.limits.releaseReaders(known.id, () => backendOf(context, volume).releaseReadOnly(context.volumes.dir(known.id)));
	context.nodes.put(context.options.nodeId, { ...known, targets });
}
