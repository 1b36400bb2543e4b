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

interface Kept {
	readonly entry: ListVolumesResponse_Entry;
	lookedAtMs: number;
}

/** Records never change: a volume that does has another one. */
const kept = new WeakMap<VolumeRecord, Kept>();

/** Several ask for the same list, and looking at the data of a thousand volumes takes ten times as long as telling of them. */
const FRESH_MS = 1000;

/** `look` is asked once a second at most. */
export function keptEntry(
	context: Pick<Context, 'options' | 'poolId'>,
	volume: VolumeRecord,
	nowMs: number,
	look: (volume: VolumeRecord) => VolumeCondition,
): ListVolumesResponse_Entry {
	const last = kept.get(volume);
	if (last !== undefined && nowMs - last.lookedAtMs < FRESH_MS) return last.entry;
	const condition = look(volume);
	if (last?.entry.status?.volumeCondition?.message === condition.message) {
		last.lookedAtMs = nowMs;
		return last.entry;
	}
	const entry = { volume: volumeMessage(context, volume), status: statusOf(volume, condition) };
	kept.set(volume, { entry, lookedAtMs: nowMs });
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
