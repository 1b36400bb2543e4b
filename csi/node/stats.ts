/** NodeGetVolumeStats: what the volume at a path holds, and whether it still works. */
import { fsStats } from '../../host/filesystem.ts';
import { mountAt, readMounts } from '../../host/mounts.ts';
import { AppError } from '../../base/errors.ts';
import { isReadOnlyMode, type Capability } from '../capability.ts';
import { backendOf, readVolume, required, type Handler } from '../context.ts';
import { dataCondition } from '../controller/condition.ts';
import {
	VolumeUsage_Unit as Unit,
	type NodeGetVolumeStatsRequest,
	type NodeGetVolumeStatsResponse,
	type VolumeCondition,
	type VolumeUsage,
} from '../proto.ts';
import type { NodeVolume } from '../records/node-records.ts';
import { realTarget } from './paths.ts';
import { foldersOf } from '../records/volume-folders.ts';

export const volumeStats: Handler<NodeGetVolumeStatsRequest, NodeGetVolumeStatsResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	required('volume path', request.volumePath);
	const volume = await readVolume(context, id);
	const known = context.nodes.get(context.options.nodeId, volume.id);
	const path = await pathOf(known, request.volumePath, context.options.targetRoots);
	const dir = foldersOf(context, volume.id).dir(volume.id);
	if (volume.access === 'block') {
		const used = backendOf(context, volume).allocatedBytes(dir, volume);
		return { usage: [usage(Unit.BYTES, volume.sizeBytes, used)], volumeCondition: dataCondition(context, volume) };
	}
	const condition = (await mountCondition(known, path)) ?? dataCondition(context, volume);
	const s = await fsStats(path);
	const usages = [usage(Unit.BYTES, s.capacityBytes, s.usedBytes, s.availableBytes)];
	if (s.inodes > 0) usages.push(usage(Unit.INODES, s.inodes, s.inodesUsed, s.inodesFree));
	return { usage: usages, volumeCondition: condition };
};

/** NotFound where the volume is not at the path. */
export async function pathOf(known: NodeVolume, asked: string, roots: readonly string[]): Promise<string> {
	const path = await realTarget(asked, roots).catch(() => asked);
	if (known.staged?.path === path || known.targets.some((t) => t.path === path)) return path;
	throw new AppError('NotFound', `Volume "${known.id}" is not at "${asked}"`);
}

/** What the mount table says against it. */
export async function mountCondition(known: NodeVolume, path: string): Promise<VolumeCondition | undefined> {
	const at = mountAt(await readMounts(), path);
	if (at === undefined) return { abnormal: true, message: `Nothing is mounted at "${path}"` };
	const meantReadOnly = known.staged !== undefined && isMeantReadOnly(known.staged.capability);
	const { superOptions } = at;
	if (superOptions.includes('emergency_ro') || superOptions.includes('shutdown') || (superOptions.includes('ro') && !meantReadOnly))
		return { abnormal: true, message: 'The file system went read-only after an error' };
	return undefined;
}

function isMeantReadOnly({ mode, access }: Capability): boolean {
	return isReadOnlyMode(mode) || (access.kind === 'mount' && access.flags.findLast((flag) => flag === 'ro' || flag === 'rw') === 'ro');
}

function usage(unit: VolumeUsage['unit'], total: number, used: number, available = Math.max(0, total - used)): VolumeUsage {
	return { unit, total: BigInt(total), used: BigInt(used), available: BigInt(available) };
}
