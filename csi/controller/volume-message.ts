/** Records as CSI messages. Pure. */
import type { Context } from '../context.ts';
import type { Snapshot, Volume, VolumeContentSource } from '../proto.ts';
import type { Publication, SnapshotRecord, Source, VolumeRecord } from '../records/records.ts';
import { poolTopology } from '../topology.ts';

export function volumeMessage({ options, poolId }: Pick<Context, 'options' | 'poolId'>, volume: VolumeRecord): Volume {
	return {
		volumeId: volume.id,
		capacityBytes: BigInt(volume.sizeBytes),
		volumeContext: contextOf(volume),
		contentSource: volume.source === undefined ? undefined : sourceMessage(volume.source),
		accessibleTopology: [poolTopology(options.driverName, poolId)],
	};
}

/** What a volume tells of itself to whoever mounts it. */
export function contextOf(volume: VolumeRecord): Record<string, string> {
	return { backend: volume.backend };
}

/** Nodes hold to it: what is published to a node for reading only is mounted so, whatever NodePublish says. */
export const READ_ONLY = 'readonly';

export function publishContextOf({ readonly }: Publication): Record<string, string> {
	return readonly ? { [READ_ONLY]: 'true' } : {};
}

function sourceMessage({ kind, id }: Source): VolumeContentSource {
	return kind === 'snapshot'
		? { type: { $case: 'snapshot', value: { snapshotId: id } } }
		: { type: { $case: 'volume', value: { volumeId: id } } };
}

export function snapshotMessage({ options, poolId }: Pick<Context, 'options' | 'poolId'>, snapshot: SnapshotRecord): Snapshot {
	return {
		snapshotId: snapshot.id,
		sourceVolumeId: snapshot.volumeId,
		sizeBytes: BigInt(snapshot.sizeBytes),
		creationTime: new Date(snapshot.createdAtMs),
		readyToUse: true,
		groupSnapshotId: snapshot.groupId ?? '',
		accessibleTopology: options.csi113 ? [poolTopology(options.driverName, poolId)] : [],
	};
}
