/** ListSnapshots and GetSnapshot. */
import { notFound, required, type Context, type Handler } from '../context.ts';
import { snapshotMessage } from '../controller/volume-message.ts';
import type { GetSnapshotRequest, GetSnapshotResponse, ListSnapshotsRequest, ListSnapshotsResponse } from '../proto.ts';
import { pageOf } from '../records/page.ts';
import type { SnapshotRecord } from '../records/records.ts';

/** What is asked for and not there is an empty list. */
export const listSnapshots: Handler<ListSnapshotsRequest, ListSnapshotsResponse> = async (context, request) => {
	const { snapshotId, sourceVolumeId } = request;
	const some = snapshotId === '' ? acknowledged(context) : acknowledged(context).filter((s) => s.id === snapshotId);
	const all = sourceVolumeId === '' ? some : some.filter((s) => s.volumeId === sourceVolumeId);
	const { entries, nextToken } = pageOf(all, 'snap', request.maxEntries, request.startingToken);
	return { entries: entries.map((snapshot) => ({ snapshot: snapshotMessage(context, snapshot) })), nextToken };
};

export const getSnapshot: Handler<GetSnapshotRequest, GetSnapshotResponse> = async (context, request) => {
	const id = required('snapshot id', request.snapshotId);
	const snapshot = acknowledged(context).find((s) => s.id === id);
	if (snapshot === undefined) throw notFound('snap', id);
	return { snapshot: snapshotMessage(context, snapshot) };
};

/** Members of a group are there once the group is. */
function acknowledged({ snapshots, groups }: Context): readonly SnapshotRecord[] {
	return snapshots.all().filter((s) => s.groupId === undefined || groups.get(s.groupId) !== undefined);
}
