/** ControllerPublishVolume and its opposite: which nodes may stage the volume. Nothing moves, since the pool is on the nodes already. */
import { AppError } from '../../base/errors.ts';
import { isMultiNode, isReadOnlyMode, readCapability, sameCapability } from '../capability.ts';
import { required, volumeOf, type Context, type Handler } from '../context.ts';
import { isId } from '../ids.ts';
import { takeDownAbandoned } from '../node/take-down.ts';
import type {
	ControllerPublishVolumeRequest,
	ControllerPublishVolumeResponse,
	ControllerUnpublishVolumeRequest,
	ControllerUnpublishVolumeResponse,
} from '../proto.ts';
import type { Publication, VolumeRecord } from '../records/records.ts';
import { publishContextOf } from './volume-message.ts';

export const publishVolume: Handler<ControllerPublishVolumeRequest, ControllerPublishVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	const nodeId = required('node id', request.nodeId);
	const capability = readCapability(request.volumeCapability);
	volumeOf(context, id);
	if (!context.nodes.nodes().includes(nodeId)) throw new AppError('NotFound', `Node "${nodeId}" does not have this pool`);
	using _ = context.locks.take(id);
	const volume = volumeOf(context, id);
	const wanted: Publication = { nodeId, readonly: request.readonly, capability };
	const existing = volume.publications.find((p) => p.nodeId === nodeId);
	if (existing !== undefined) {
		if (existing.readonly === wanted.readonly && sameCapability(existing.capability, capability))
			return { publishContext: publishContextOf(wanted) };
		throw new AppError('AlreadyExists', `Volume "${id}" is published to node "${nodeId}" in another way`);
	}
	check(context, volume, wanted);
	await context.volumes.updateForSelf({ ...volume, publications: [...volume.publications, wanted] });
	await context.steps.done('ControllerPublishVolume: recorded');
	return { publishContext: publishContextOf(wanted) };
};

function check(context: Context, volume: VolumeRecord, { nodeId, capability, readonly }: Publication): void {
	if (capability.access.kind !== volume.access)
		throw new AppError('InvalidArgument', `Volume "${volume.id}" is a ${volume.access} volume, not ${capability.access.kind}`);
	const [other] = volume.publications;
	if (other !== undefined && !(isMultiNode(other.capability.mode) && isMultiNode(capability.mode)))
		throw new AppError('FailedPrecondition', `Volume "${volume.id}" is published to node "${other.nodeId}"`);
	const writes = (p: Pick<Publication, 'readonly' | 'capability'>): boolean => !p.readonly && !isReadOnlyMode(p.capability.mode);
	const oneWriter = capability.mode === 'MULTI_NODE_SINGLE_WRITER' && writes({ readonly, capability });
	if (oneWriter && volume.publications.some(writes))
		throw new AppError('FailedPrecondition', `Volume "${volume.id}" has its one writer on another node`);
	const { maxVolumesPerNode } = context.options;
	if (maxVolumesPerNode === 0) return;
	const attached = context.volumes.all().filter((v) => v.publications.some((p) => p.nodeId === nodeId)).length;
	if (attached >= maxVolumesPerNode)
		throw new AppError('ResourceExhausted', `Node "${nodeId}" has its most of ${maxVolumesPerNode} volumes`);
}

/** Without a node: from all of them. Not published, or no volume at all, is success. A node that is gone keeps nothing of it. */
export const unpublishVolume: Handler<ControllerUnpublishVolumeRequest, ControllerUnpublishVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	if (!isId('vol', id)) return {};
	using _ = context.locks.take(id);
	const volume = context.volumes.get(id);
	if (volume === undefined) return {};
	const left = volume.publications.filter((p) => request.nodeId !== '' && p.nodeId !== request.nodeId);
	if (left.length < volume.publications.length) {
		await context.volumes.updateForSelf({ ...volume, publications: left });
		await context.steps.done('ControllerUnpublishVolume: recorded');
	}
	for (const { nodeId } of context.nodes.usersOf(id))
		if (request.nodeId === '' || request.nodeId === nodeId) await takeDownAbandoned(context, nodeId, id);
	return {};
};
