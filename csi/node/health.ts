/** NodeGetVolumeHealth and NodeGetStorageHealth of CSI 1.13: what this node sees of a volume, and of the pool. */
import { access, constants } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import { readVolume, required, type Handler } from '../context.ts';
import { dataCondition } from '../controller/condition.ts';
import { healthOf } from '../controller/health.ts';
import {
	StorageHealthErrorType,
	type NodeGetStorageHealthRequest,
	type NodeGetStorageHealthResponse,
	type NodeGetVolumeHealthRequest,
	type NodeGetVolumeHealthResponse,
} from '../proto.ts';
import { mountCondition, pathOf } from './stats.ts';

export const volumeHealth: Handler<NodeGetVolumeHealthRequest, NodeGetVolumeHealthResponse> = async (context, request) => {
	const volume = await readVolume(context, required('volume id', request.volumeId));
	const { nodeId, targetRoots } = context.options;
	const known = context.nodes.get(nodeId, volume.id);
	const asked = request.volumePublishPath || request.stagingTargetPath;
	const path = asked === '' ? known.staged?.path : await pathOf(known, asked, targetRoots);
	const mounted = volume.access === 'mount' && path !== undefined ? await mountCondition(known, path) : undefined;
	return { volumeHealth: healthOf(volume.id, mounted ?? dataCondition(context, volume)) };
};

export const storageHealth: Handler<NodeGetStorageHealthRequest, NodeGetStorageHealthResponse> = async ({ options }) => {
	const problem = await access(options.dataDir, constants.R_OK | constants.W_OK).then(() => undefined, messageOf);
	if (problem === undefined) return { backendHealth: [] };
	const status = StorageHealthErrorType.STORAGE_UNREACHABLE;
	return { backendHealth: [{ status, reason: 'PoolUnreachable', message: problem, volumeCapability: undefined }] };
};
