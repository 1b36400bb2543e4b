/**
 * Group snapshots: all volumes are frozen, then all are copied, then thawed. The group's own record is written last and makes the members real; on the
 * way out it goes last. Members without it were never acknowledged, or are being deleted, and are swept at the next start (recover.ts).
 */
import { AppError } from '../../base/errors.ts';
import { backendOf, notFound, required, volumeOf, type Context, type Handler } from '../context.ts';
import { snapshotMessage } from '../controller/volume-message.ts';
import { idOf, isId, memberId } from '../ids.ts';
import type * as csi from '../proto.ts';
import type { GroupRecord, SnapshotRecord } from '../records/records.ts';
import { freezeAll } from '../snapshot/freeze-all.ts';
import { roomForCopies } from '../snapshot/room.ts';

export const createGroupSnapshot: Handler<csi.CreateVolumeGroupSnapshotRequest, csi.CreateVolumeGroupSnapshotResponse> = async (
	context,
	request,
) => {
	const name = required('group snapshot name', request.name);
	const volumeIds = [...new Set(request.sourceVolumeIds.map((id) => required('source volume id', id)))].toSorted();
	if (volumeIds.length === 0) throw new AppError('InvalidArgument', 'The source volume ids are missing');
	const id = idOf('group', name);
	using _ = context.locks.take(id);
	const existing = context.groups.get(id);
	const snapshotIds = volumeIds.map((volumeId) => memberId(id, volumeId));
	if (existing !== undefined) {
		if (JSON.stringify(existing.snapshotIds) === JSON.stringify(snapshotIds)) return { groupSnapshot: groupMessage(context, existing) };
		throw new AppError('AlreadyExists', `Group snapshot "${name}" exists and is of other volumes`);
	}
	for (const volumeId of volumeIds) volumeOf(context, volumeId);
	using _volumes = context.locks.takeAll(volumeIds);
	const group: GroupRecord = { id, name, createdAtMs: context.clock.now(), snapshotIds };
	await removeMembers(context, id); // of an attempt that failed half-way
	using _room = await roomForCopies(
		context,
		volumeIds.map((volumeId) => volumeOf(context, volumeId)),
	);
	await makeMembers(context, group, volumeIds);
	await context.steps.done('CreateVolumeGroupSnapshot: members committed');
	await context.groups.create(group, () => Promise.resolve(), { step: () => Promise.resolve() });
	await context.steps.done('CreateVolumeGroupSnapshot: committed');
	return { groupSnapshot: groupMessage(context, group) };
};

async function makeMembers(context: Context, group: GroupRecord, volumeIds: readonly string[]): Promise<void> {
	try {
		await using _frozen = await freezeAll(context, volumeIds);
		await context.steps.done('CreateVolumeGroupSnapshot: frozen');
		for (const volumeId of volumeIds) {
			const { backend, access, fsType, sizeBytes } = volumeOf(context, volumeId);
			const id = memberId(group.id, volumeId);
			const { name, createdAtMs } = group;
			const member: SnapshotRecord = { backend, access, fsType, sizeBytes, id, name, createdAtMs, volumeId, groupId: group.id };
			const copy = (dir: string): Promise<void> => backendOf(context, member).copy(context.volumes.dir(volumeId), dir, member);
			await context.snapshots.create(member, copy, { step: () => Promise.resolve() });
			await context.steps.done('CreateVolumeGroupSnapshot: copied');
		}
	} catch (error) {
		await removeMembers(context, group.id);
		throw error;
	}
}

export async function removeMembers({ snapshots }: Pick<Context, 'snapshots'>, groupId: string): Promise<void> {
	for (const { id } of snapshots.all().filter((s) => s.groupId === groupId)) await snapshots.remove(id, { step: () => Promise.resolve() });
}

export const deleteGroupSnapshot: Handler<csi.DeleteVolumeGroupSnapshotRequest, csi.DeleteVolumeGroupSnapshotResponse> = async (
	context,
	request,
) => {
	const id = required('group snapshot id', request.groupSnapshotId);
	if (!isId('group', id)) return {};
	using _ = context.locks.take(id);
	const group = context.groups.get(id);
	if (group === undefined) return {};
	checkMembers(group, request.snapshotIds);
	using _members = context.locks.takeAll(group.snapshotIds);
	for (const member of group.snapshotIds) await context.snapshots.remove(member, { step: () => Promise.resolve() });
	await context.steps.done('DeleteVolumeGroupSnapshot: members removed');
	await context.groups.remove(id, { step: () => Promise.resolve() });
	await context.steps.done('DeleteVolumeGroupSnapshot: removed');
	return {};
};

export const getGroupSnapshot: Handler<csi.GetVolumeGroupSnapshotRequest, csi.GetVolumeGroupSnapshotResponse> = async (
	context,
	request,
) => {
	const id = required('group snapshot id', request.groupSnapshotId);
	const group = isId('group', id) ? context.groups.get(id) : undefined;
	if (group === undefined) throw notFound('group', id);
	checkMembers(group, request.snapshotIds);
	return { groupSnapshot: groupMessage(context, group) };
};

export const groupCapabilities: Handler<
	csi.GroupControllerGetCapabilitiesRequest,
	csi.GroupControllerGetCapabilitiesResponse
> = async () => ({
	capabilities: [{ type: { $case: 'rpc', value: { type: CREATE_DELETE_GET } } }],
});

/** GroupControllerServiceCapability.RPC.Type CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT. */
const CREATE_DELETE_GET = 1;

/** What a caller says of the members must be so; whoever says nothing need not know. */
function checkMembers({ id, snapshotIds }: GroupRecord, told: readonly string[]): void {
	if (told.length === 0) return;
	const stranger = told.find((s) => !snapshotIds.includes(s)) ?? snapshotIds.find((s) => !told.includes(s));
	if (stranger !== undefined) throw new AppError('InvalidArgument', `The snapshots of group "${id}" are others: "${stranger}"`);
}

function groupMessage(context: Context, group: GroupRecord): csi.VolumeGroupSnapshot {
	const members = group.snapshotIds.flatMap((id) => context.snapshots.get(id) ?? []);
	return {
		groupSnapshotId: group.id,
		snapshots: members.map((member) => snapshotMessage(context, member)),
		creationTime: new Date(group.createdAtMs),
		readyToUse: true,
	};
}
