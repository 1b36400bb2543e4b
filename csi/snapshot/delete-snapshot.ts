/** DeleteSnapshot: gone already is success; one of a group goes with its group. */
import { AppError } from '../../base/errors.ts';
import { required, type Handler } from '../context.ts';
import { isId } from '../ids.ts';
import type { DeleteSnapshotRequest, DeleteSnapshotResponse } from '../proto.ts';

export const deleteSnapshot: Handler<DeleteSnapshotRequest, DeleteSnapshotResponse> = async (context, request) => {
	const id = required('snapshot id', request.snapshotId);
	if (!isId('snap', id)) return {};
	using _ = context.locks.take(id);
	const groupId = context.snapshots.get(id)?.groupId;
	if (groupId !== undefined) throw new AppError('InvalidArgument', `Snapshot "${id}" is deleted with its group "${groupId}"`);
	await context.snapshots.remove(id, { step: (what) => context.steps.done(`DeleteSnapshot: ${what}`) });
	return {};
};
