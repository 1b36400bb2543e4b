/**
 * Group snapshots: all volumes are frozen, all are copied, all are thawed. The group's own record is written last and makes the members real; on the
 * way out it goes last. Members without it were never acknowledged, or are being deleted, and are swept at the next start (recover.ts).
 */
import { AppError } from '../../base/errors.ts';
import { backendOf, notFound, required, volumeOf, type Context, type Handler } from '../context.ts';
import { snapshotMessage } from '../controller/volume-message.ts';
import { idOf, isId, memberId } from '../ids.ts';
import type * as csi from '../proto.ts';
import type { GroupRecord, SnapshotRecord, VolumeRecord } from '../records/records.ts';
import { snapshotFacts } from '../snapshot/create-snapshot.ts';
import { freezeAll } from '../snapshot/freeze-all.ts';
import { roomForCopies } from '../snapshot/room.ts';
import { undo } from '../undo.ts';

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
	await removeMembers(context, id, snapshotIds); // of an attempt that failed half-way
	using room = new DisposableStack();
	try {
		await makeMembers(
			context,
			volumeIds.map((volumeId) => memberOf(group, volumeOf(context, volumeId))),
			room,
		);
		await context.steps.done('CreateVolumeGroupSnapshot: members committed');
		await context.groups.create(group, { fill: () => Promise.resolve(), again: true }, { step: () => Promise.resolve() });
	} catch (error) {
		await undo(context, `the group snapshot "${name}"`, () => removeMembers(context, id, snapshotIds));
		throw error;
	}
	await context.steps.done('CreateVolumeGroupSnapshot: committed');
	return { groupSnapshot: groupMessage(context, group) };
};

function memberOf({ id, name, createdAtMs }: GroupRecord, volume: VolumeRecord): SnapshotRecord {
	return { ...snapshotFacts(volume), id: memberId(id, volume.id), name, createdAtMs, groupId: id };
}

/** Volumes stand still only while they are copied: members are synced and committed once all of them go on. One that fails ends the others. */
async function makeMembers(context: Context, members: readonly SnapshotRecord[], room: DisposableStack): Promise<void> {
	const copied = Promise.withResolvers<void>();
	const dirs = new Map<SnapshotRecord, string>();
	const fill = async (member: SnapshotRecord, dir: string): Promise<void> => {
		dirs.set(member, dir);
		if (dirs.size === members.length) copyAll(context, dirs, room).then(copied.resolve, copied.reject);
		await copied.promise;
	};
	const making = members.map(async (member) => {
		try {
			await context.snapshots.create(member, { fill: (dir) => fill(member, dir) }, { step: () => Promise.resolve() });
		} catch (error) {
			copied.reject(error);
			throw error;
		}
	});
	const failed = (await Promise.allSettled(making)).find((made) => made.status === 'rejected');
	if (failed !== undefined)
		throw await copied.promise.then(
			() => failed.reason as unknown,
			(first: unknown) => first,
		);
}

async function copyAll(context: Context, dirs: ReadonlyMap<SnapshotRecord, string>, room: DisposableStack): Promise<void> {
	const members = [...dirs.keys()];
	await using _frozen = await freezeAll(
		context,
		members.map(({ volumeId }) => volumeId),
	);
	room.use(await roomForCopies(context, members));
	await context.steps.done('CreateVolumeGroupSnapshot: frozen');
	for (const [member, dir] of dirs) {
		await backendOf(context, member).copy(context.volumes.dir(member.volumeId), dir, member);
		await context.steps.done('CreateVolumeGroupSnapshot: copied');
	}
}

/** All of them are tried, and what an earlier try had to leave; throws the first failure. `ids`: those that may have been made. */
export async function removeMembers(
	{ snapshots }: Pick<Context, 'snapshots'>,
	groupId: string,
	ids: readonly string[] = [],
): Promise<void> {
	const known = snapshots.all().flatMap((s) => (s.groupId === groupId ? [s.id] : []));
	const removed = await Promise.allSettled(
		[...new Set([...known, ...ids])].map((id) => snapshots.remove(id, { step: () => Promise.resolve() })),
	);
	const failed = removed.find((each) => each.status === 'rejected');
	if (failed !== undefined) throw failed.reason;
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
