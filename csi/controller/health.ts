/** Health as CSI 1.13 tells it, in place of 1.12's conditions: a list of what is wrong, empty where nothing is. */
import { required, volumeOf, type Handler } from '../context.ts';
import {
	VolumeHealthErrorType,
	type ControllerGetVolumeHealthRequest,
	type ControllerGetVolumeHealthResponse,
	type ControllerListVolumeHealthRequest,
	type ControllerListVolumeHealthResponse,
	type VolumeCondition,
	type VolumeHealth,
} from '../proto.ts';
import { pageOf } from '../records/page.ts';
import { dataCondition } from './condition.ts';

export const getVolumeHealth: Handler<ControllerGetVolumeHealthRequest, ControllerGetVolumeHealthResponse> = async (context, request) => {
	const volume = volumeOf(context, required('volume id', request.volumeId));
	return { volumeHealth: healthOf(volume.id, dataCondition(context, volume)) };
};

/** All volumes, well or not. */
export const listVolumeHealth: Handler<ControllerListVolumeHealthRequest, ControllerListVolumeHealthResponse> = async (
	context,
	request,
) => {
	const { entries, nextToken } = pageOf(context.volumes.all(), 'vol', request.maxEntries, request.startingToken);
	return { entries: entries.map((volume) => healthOf(volume.id, dataCondition(context, volume))), nextToken };
};

/** Pure. */
export function healthOf(volumeId: string, { abnormal, message }: VolumeCondition): VolumeHealth {
	const entry = { status: VolumeHealthErrorType.INACCESSIBLE, reason: 'VolumeAbnormal', message };
	return { volumeId, healthStatuses: abnormal ? [entry] : [] };
}
