/** ListVolumes and ControllerGetVolume: volumes with where they are published and how they feel. */
import { required, volumeOf, type Context, type Handler } from '../context.ts';
import type {
	ControllerGetVolumeRequest,
	ControllerGetVolumeResponse,
	ListVolumesRequest,
	ListVolumesResponse,
	ListVolumesResponse_VolumeStatus,
	Volume,
} from '../proto.ts';
import { pageOf } from '../records/page.ts';
import type { VolumeRecord } from '../records/records.ts';
import { dataCondition } from './condition.ts';
import { volumeMessage } from './volume-message.ts';

export const listVolumes: Handler<ListVolumesRequest, ListVolumesResponse> = async (context, request) => {
	const { entries, nextToken } = pageOf(context.volumes.all(), 'vol', request.maxEntries, request.startingToken);
	return {
		entries: entries.map((volume) => ({ volume: messageOf(context, volume), status: statusOf(context, volume) })),
		nextToken,
	};
};

export const getVolume: Handler<ControllerGetVolumeRequest, ControllerGetVolumeResponse> = async (context, request) => {
	const volume = volumeOf(context, required('volume id', request.volumeId));
	return { volume: volumeMessage(context, volume), status: statusOf(context, volume) };
};

/** Records never change, so a long list makes each message once. */
const messages = new WeakMap<VolumeRecord, Volume>();

function messageOf(context: Context, volume: VolumeRecord): Volume {
	let message = messages.get(volume);
	if (message === undefined) messages.set(volume, (message = volumeMessage(context, volume)));
	return message;
}

function statusOf(context: Context, volume: VolumeRecord): ListVolumesResponse_VolumeStatus {
	return { publishedNodeIds: volume.publications.map((p) => p.nodeId), volumeCondition: dataCondition(context, volume) };
}
