/** What ListVolumes says of a volume, made and encoded once for as long as neither its record nor its condition changes. */
import { itemwise } from '../../wire/grpc/itemwise.ts';
import type { Context } from '../context.ts';
import {
	ControllerService,
	type ListVolumesResponse,
	type ListVolumesResponse_Entry,
	type ListVolumesResponse_VolumeStatus,
	type VolumeCondition,
} from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';
import { volumeMessage } from './volume-message.ts';

/** Records never change: a volume that does has another one. */
const entries = new WeakMap<VolumeRecord, { readonly message: string; readonly entry: ListVolumesResponse_Entry }>();

export function keptEntry(
	context: Pick<Context, 'options' | 'poolId'>,
	volume: VolumeRecord,
	condition: VolumeCondition,
): ListVolumesResponse_Entry {
	const kept = entries.get(volume);
	if (kept?.message === condition.message) return kept.entry;
	const entry = { volume: volumeMessage(context, volume), status: statusOf(volume, condition) };
	entries.set(volume, { message: condition.message, entry });
	return entry;
}

export function statusOf({ publications }: VolumeRecord, volumeCondition: VolumeCondition): ListVolumesResponse_VolumeStatus {
	return { publishedNodeIds: publications.map((p) => p.nodeId), volumeCondition };
}

const { listVolumes } = ControllerService;

/** The service, its answers to ListVolumes put together from what is kept. */
export const KEEPING_CONTROLLER_SERVICE = {
	...ControllerService,
	listVolumes: {
		...listVolumes,
		responseSerialize: itemwise<ListVolumesResponse, ListVolumesResponse_Entry>(listVolumes.responseSerialize, {
			items: (response) => response.entries,
			alone: (entry) => ({ entries: [entry], nextToken: '' }),
			rest: ({ nextToken }) => ({ entries: [], nextToken }),
		}),
	},
};
