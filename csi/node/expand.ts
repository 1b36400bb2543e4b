/** NodeExpandVolume: device and file system take the size that the controller gave the data. */
import { readCapability } from '../capability.ts';
import { backendOf, readVolume, required, type Handler } from '../context.ts';
import { idOnNode } from '../ids.ts';
import type { NodeExpandVolumeRequest, NodeExpandVolumeResponse } from '../proto.ts';
import { readRange } from '../size.ts';
import { pathOf } from './stats.ts';
import { foldersOf } from '../records/volume-folders.ts';

export const expandVolume: Handler<NodeExpandVolumeRequest, NodeExpandVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	required('volume path', request.volumePath);
	if (request.volumeCapability !== undefined) readCapability(request.volumeCapability);
	readRange(request.capacityRange);
	using _ = context.locks.take(idOnNode(id));
	const volume = await readVolume(context, id);
	const known = context.nodes.get(context.options.nodeId, volume.id);
	const path = await pathOf(known, request.volumePath, context.options.targetRoots);
	const capability = known.staged?.capability ?? known.targets[0]?.capability;
	if (capability === undefined) return { capacityBytes: BigInt(volume.sizeBytes) };
	const sizeBytes = await backendOf(context, volume).growStaged({
		dir: foldersOf(context, volume.id).dir(volume.id),
		facts: volume,
		capability,
		path,
	});
	await context.steps.done('NodeExpandVolume: file system grown');
	return { capacityBytes: BigInt(sizeBytes) };
};
