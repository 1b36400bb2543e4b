/** ListVolumes and ControllerGetVolume: volumes with where they are published and how they feel. */
import { required, volumeOf, type Handler } from '../context.ts';
import type {
	ControllerGetVolumeRequest,
	ControllerGetVolumeResponse,
	ListVolumesRequest,
	ListVolumesResponse,
	VolumeCondition,
} from '../proto.ts';
import { pageOf } from '../records/page.ts';
import type { VolumeRecord } from '../records/records.ts';
import { dataCondition } from './condition.ts';
import { keptEntry, statusOf } from './kept-entries.ts';
import { volumeMessage } from './volume-message.ts';

export const listVolumes: Handler<ListVolumesRequest, ListVolumesResponse> = async (context, request) => {
	const { entries, nextToken } = pageOf(context.volumes.all(), 'vol', request.maxEntries, request.startingToken);
	const look = (volume: VolumeRecord): VolumeCondition => dataCondition(context, volume);
	const nowMs = context.clock.monotonic();
	return { entries: entries.map((volume) => keptEntry(context, volume, nowMs, look)), nextToken };
};

export const getVolume: Handler<ControllerGetVolumeRequest, ControllerGetVolumeResponse> = async (context, request) => {
	const volume = volumeOf(context, required('volume id', request.volumeId));
	return { volume: volumeMessage(context, volume), status: statusOf(volume, dataCondition(context, volume)) };
};
