/** Group snapshots are taken and deleted by the driver, as their contents ask (csi-snapshotter's groupsnapshot_helper). Keys are group contents. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import { timeOf } from '../../../api/time.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Again, Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import type { VolumeGroupSnapshot } from '../../proto.ts';
import { removeFinalizer } from '../finalizers.ts';
import type { RoleDeps } from '../role.ts';
import { isFinal } from '../final.ts';
import { credentials } from '../secrets.ts';
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, type VolumeGroupSnapshotClass, type VolumeGroupSnapshotContent } from '../snapshot-kinds.ts';
import {
	annotatedSecret,
	GROUP_BEING_CREATED,
	GROUP_BEING_DELETED,
	GROUP_CONTENT_FINALIZER,
	GROUP_DELETION_SECRET,
	nanosecondsOf,
	snapshotParameters,
} from '../snapshot-names.ts';
import { tellFailure } from '../tell-failure.ts';

export interface GroupSnapshotting extends RoleDeps {
	readonly groupContents: Lister<VolumeGroupSnapshotContent>;
	readonly groupClasses: Lister<VolumeGroupSnapshotClass>;
	/** --groupsnapshot-name-prefix */
	readonly namePrefix: string;
}

const NOT_READY_AGAIN_MS = 2000;

export function groupContentReconcile(snapshotting: GroupSnapshotting): Reconcile {
	const { groupContents, driver, client } = snapshotting;
	return async (key, signal): Promise<Again | void> => {
		const content = groupContents.get(key);
		if (content === undefined || content.spec.driver !== driver.name) return;
		const { deletionTimestamp, annotations = {} } = content.metadata;
		if (isToGo(content)) return remove(snapshotting, content, signal);
		if (deletionTimestamp !== undefined && annotations[GROUP_BEING_CREATED] === undefined) return;
		if (content.status?.readyToUse === true) return unmark(snapshotting, content, signal);
		let status: VolumeGroupSnapshotContent['status'];
		try {
			const given = content.spec.source.groupSnapshotHandles;
			const taken = given?.volumeGroupSnapshotHandle ?? content.status?.volumeGroupSnapshotHandle;
			status = taken === undefined ? await take(snapshotting, content, signal) : await look(snapshotting, content, taken, signal);
		} catch (error) {
			signal.throwIfAborted();
			const failure = { reason: 'GroupSnapshotCreationFailed', message: `Failed to create group snapshot: ${messageOf(error)}` };
			await tellFailure(snapshotting, VOLUME_GROUP_SNAPSHOT_CONTENTS, content, failure, signal);
			throw error;
		}
		const body = { status: { ...status, error: null } };
		const written = await client.patch(VOLUME_GROUP_SNAPSHOT_CONTENTS, key, { type: 'merge', body }, { signal, subresource: 'status' });
		await unmark(snapshotting, written, signal);
		if (status?.readyToUse !== true) return { afterMs: NOT_READY_AGAIN_MS };
	};
}

function isToGo({ metadata, spec }: VolumeGroupSnapshotContent): boolean {
	if (metadata.deletionTimestamp === undefined) return false;
	if (spec.source.groupSnapshotHandles !== undefined && (spec.volumeGroupSnapshotRef.uid ?? '') === '') return true;
	return metadata.annotations?.[GROUP_BEING_CREATED] === undefined && metadata.annotations?.[GROUP_BEING_DELETED] !== undefined;
}

function memberHandles({ spec, status }: VolumeGroupSnapshotContent): string[] {
	const told = (status?.volumeSnapshotInfoList ?? []).flatMap(({ snapshotHandle }) =>
		snapshotHandle === undefined ? [] : [snapshotHandle],
	);
	return told.length > 0 ? told : (spec.source.groupSnapshotHandles?.volumeSnapshotHandles ?? []);
}

async function remove(snapshotting: GroupSnapshotting, content: VolumeGroupSnapshotContent, signal: AbortSignal): Promise<void> {
	const { client, driver, recorder } = snapshotting;
	const groupSnapshotId = content.status?.volumeGroupSnapshotHandle;
	if (content.spec.deletionPolicy === 'Delete' && groupSnapshotId !== undefined) {
		try {
			const secrets = await credentials(client, annotatedSecret(content.metadata.annotations, GROUP_DELETION_SECRET), signal);
			const request = { groupSnapshotId, snapshotIds: memberHandles(content), secrets };
			await driver.group.deleteVolumeGroupSnapshot(request, { timeoutMs: driver.timeoutMs, signal });
		} catch (error) {
			signal.throwIfAborted();
			const about = referenceTo(VOLUME_GROUP_SNAPSHOT_CONTENTS, content);
			recorder.event(about, 'Warning', 'GroupSnapshotDeleteError', 'Failed to delete group snapshot');
			throw error;
		}
		const body = { status: { volumeGroupSnapshotHandle: null, readyToUse: null, creationTime: null, volumeSnapshotInfoList: null } };
		const options = { signal, subresource: 'status' };
		const patch = { type: 'merge', body } as const;
		await client.patch(VOLUME_GROUP_SNAPSHOT_CONTENTS, content.metadata.name ?? '', patch, options).catch(ignore('NotFound'));
	}
	if (hasFinalizer(content, GROUP_CONTENT_FINALIZER))
		await removeFinalizer(client, VOLUME_GROUP_SNAPSHOT_CONTENTS, content, GROUP_CONTENT_FINALIZER, signal);
}

async function take(
	snapshotting: GroupSnapshotting,
	content: VolumeGroupSnapshotContent,
	signal: AbortSignal,
): Promise<VolumeGroupSnapshotContent['status']> {
	const { client, driver, groupClasses, clock, namePrefix } = snapshotting;
	const { volumeGroupSnapshotClassName: className = '', source, volumeGroupSnapshotRef: ref } = content.spec;
	const groupClass = groupClasses.get(className);
	if (groupClass === undefined)
		throw new AppError('NotFound', `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${className}" not found`);
	const secrets = await credentials(client, annotatedSecret(content.metadata.annotations, GROUP_DELETION_SECRET), signal);
	await annotate(snapshotting, content, 'yes', signal);
	const request = {
		name: `${namePrefix}-${ref.uid}`,
		sourceVolumeIds: source.volumeHandles ?? [],
		secrets,
		parameters: snapshotParameters(groupClass.parameters ?? {}),
	};
	try {
		const { groupSnapshot } = await driver.group.createVolumeGroupSnapshot(request, { timeoutMs: driver.timeoutMs, signal });
		if (groupSnapshot === undefined) throw new AppError('Internal', 'the driver answered CreateVolumeGroupSnapshot without a group');
		return statusOf(groupSnapshot, clock.now());
	} catch (error) {
		signal.throwIfAborted();
		if (isFinal(error) && codeOf(error) !== 'ResourceExhausted') await annotate(snapshotting, content, undefined, signal);
		const volumes = (source.volumeHandles ?? []).join(' ');
		throw new AppError(codeOf(error), `failed to take group snapshot of the volumes [${volumes}]: "${messageOf(error)}"`, { cause: error });
	}
}

async function look(
	snapshotting: GroupSnapshotting,
	content: VolumeGroupSnapshotContent,
	groupSnapshotId: string,
	signal: AbortSignal,
): Promise<VolumeGroupSnapshotContent['status']> {
	const { client, driver, clock } = snapshotting;
	const secrets = await credentials(client, annotatedSecret(content.metadata.annotations, GROUP_DELETION_SECRET), signal);
	const request = { groupSnapshotId, snapshotIds: memberHandles(content), secrets };
	const { groupSnapshot } = await driver.group.getVolumeGroupSnapshot(request, { timeoutMs: driver.timeoutMs, signal });
	if (groupSnapshot === undefined) throw new AppError('NotFound', `cannot find group snapshot ${groupSnapshotId}`);
	return { ...statusOf(groupSnapshot, clock.now()), volumeGroupSnapshotHandle: groupSnapshotId };
}

function statusOf(group: VolumeGroupSnapshot, now: number): NonNullable<VolumeGroupSnapshotContent['status']> {
	return {
		volumeGroupSnapshotHandle: group.groupSnapshotId,
		readyToUse: group.readyToUse,
		creationTime: timeOf(group.creationTime?.getTime() ?? now),
		volumeSnapshotInfoList: group.snapshots.map((snapshot) => ({
			volumeHandle: snapshot.sourceVolumeId,
			snapshotHandle: snapshot.snapshotId,
			readyToUse: snapshot.readyToUse,
			creationTime: nanosecondsOf(snapshot.creationTime, now),
			...(snapshot.sizeBytes > 0n ? { restoreSize: Number(snapshot.sizeBytes) } : {}),
		})),
	};
}

async function annotate(
	{ client }: GroupSnapshotting,
	{ metadata }: VolumeGroupSnapshotContent,
	value: string | undefined,
	signal: AbortSignal,
): Promise<void> {
	const body = { metadata: { annotations: { [GROUP_BEING_CREATED]: value ?? null } } };
	await client.patch(VOLUME_GROUP_SNAPSHOT_CONTENTS, metadata.name ?? '', { type: 'merge', body }, { signal });
}

async function unmark(snapshotting: GroupSnapshotting, content: VolumeGroupSnapshotContent, signal: AbortSignal): Promise<void> {
	if (content.metadata.annotations?.[GROUP_BEING_CREATED] !== undefined) await annotate(snapshotting, content, undefined, signal);
}
