/** VolumeGroupSnapshots: one content for all volumes of the claims that are selected, and a VolumeSnapshot for each (snapshot-controller). Keys are groups. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolume } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { addFinalizer, removeFinalizer } from '../finalizers.ts';
import { secretReference } from '../secrets.ts';
import {
	VOLUME_GROUP_SNAPSHOT_CONTENTS,
	VOLUME_GROUP_SNAPSHOTS,
	type VolumeGroupSnapshot,
	type VolumeGroupSnapshotClass,
	type VolumeGroupSnapshotContent,
} from '../snapshot-kinds.ts';
import { DEFAULT_GROUP_CLASS, GROUP_BEING_DELETED, GROUP_BOUND_FINALIZER, GROUP_DELETION_SECRET, GROUP_SECRET } from '../snapshot-names.ts';
import { tellFailure } from '../tell-failure.ts';
import { createMembers } from './members.ts';
import type { SnapshotControl } from './write.ts';

export interface GroupControl extends SnapshotControl {
	readonly groups: Lister<VolumeGroupSnapshot>;
	readonly groupContents: Lister<VolumeGroupSnapshotContent>;
	readonly groupClasses: Lister<VolumeGroupSnapshotClass>;
}

export function groupReconcile(control: GroupControl): Reconcile {
	return async (key, signal) => {
		const group = control.groups.get(key);
		if (group === undefined) return;
		if (group.metadata.deletionTimestamp !== undefined) return remove(control, group, signal);
		try {
			await settle(control, group, signal);
		} catch (error) {
			signal.throwIfAborted();
			if (codeOf(error) !== 'Aborted') {
				const failure = { reason: 'GroupSnapshotContentCreationFailed', message: messageOf(error) };
				await tellFailure(control, VOLUME_GROUP_SNAPSHOTS, group, failure, signal);
			}
			throw error;
		}
	};
}

async function settle(control: GroupControl, group: VolumeGroupSnapshot, signal: AbortSignal): Promise<void> {
	const { selector, volumeGroupSnapshotContentName: given } = group.spec.source;
	if ((selector === undefined) === (given === undefined))
		throw new AppError('InvalidArgument', 'Exactly one of Selector and VolumeGroupSnapshotContentName should be specified');
	const name = given ?? `groupsnapcontent-${group.metadata.uid}`;
	const existing = control.groupContents.get(name);
	if (existing === undefined && given !== undefined) throw new AppError('NotFound', 'VolumeGroupSnapshotContent is missing');
	const content = existing === undefined ? await create(control, group, name, signal) : await bind(control, group, existing, signal);
	if (content.spec.deletionPolicy === 'Delete')
		await addFinalizer(control.client, VOLUME_GROUP_SNAPSHOTS, group, GROUP_BOUND_FINALIZER, signal);
	if (given === undefined) await createMembers(control, group, content, signal);
	const { readyToUse = false, creationTime, error } = content.status ?? {};
	const before = group.status;
	const isTold =
		before?.boundVolumeGroupSnapshotContentName === name && before.readyToUse === readyToUse && before.error?.message === error?.message;
	if (isTold) return;
	const status = {
		boundVolumeGroupSnapshotContentName: name,
		readyToUse,
		...(creationTime === undefined ? {} : { creationTime }),
		error: error ?? null,
	};
	const about = referenceTo(VOLUME_GROUP_SNAPSHOTS, group);
	if (readyToUse) control.recorder.event(about, 'Normal', 'GroupSnapshotReady', `Group snapshot ${keyOf(group)} is ready to use.`);
	const patch = { type: 'merge', body: { status } } as const;
	await control.client.patch(VOLUME_GROUP_SNAPSHOTS, keyOf(group), patch, { signal, subresource: 'status' });
}

/** The group's class, or the default one of its volumes' driver. */
async function withClass(
	control: GroupControl,
	group: VolumeGroupSnapshot,
	driver: string,
	signal: AbortSignal,
): Promise<VolumeGroupSnapshotClass> {
	const { groupClasses, client } = control;
	const named = group.spec.volumeGroupSnapshotClassName;
	if (named !== undefined) {
		const found = groupClasses.get(named);
		if (found !== undefined) return found;
		throw new AppError('NotFound', `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${named}" not found`);
	}
	const found = groupClasses.list().filter((c) => c.driver === driver && c.metadata.annotations?.[DEFAULT_GROUP_CLASS] === 'true');
	const [only, ...more] = found;
	if (only === undefined) throw new AppError('FailedPrecondition', 'cannot find default group snapshot class');
	if (more.length > 0) throw new AppError('FailedPrecondition', `${found.length} default group snapshot classes were found`);
	const body = { spec: { volumeGroupSnapshotClassName: only.metadata.name } };
	await client.patch(VOLUME_GROUP_SNAPSHOTS, keyOf(group), { type: 'merge', body }, { signal });
	return only;
}

async function create(
	control: GroupControl,
	group: VolumeGroupSnapshot,
	name: string,
	signal: AbortSignal,
): Promise<VolumeGroupSnapshotContent> {
	const volumes = volumesOf(control, group);
	const drivers = new Set(volumes.map((volume) => volume.spec?.csi?.driver ?? ''));
	const [driver = ''] = drivers;
	if (drivers.size > 1 || driver === '') throw new AppError('FailedPrecondition', 'the volumes of a group must be of one CSI driver');
	const groupClass = await withClass(control, group, driver, signal);
	if (groupClass.driver !== driver)
		throw new AppError('FailedPrecondition', `the group snapshot class is of ${groupClass.driver}, the volumes are of ${driver}`);
	const shared = { 'volumegroupsnapshotcontent.name': name, 'volumegroupsnapshot.namespace': group.metadata.namespace ?? '' };
	const tokens = { namespace: shared, name: { ...shared, 'volumegroupsnapshot.name': group.metadata.name ?? '' } };
	const secret = secretReference(GROUP_SECRET, groupClass.parameters ?? {}, tokens);
	const [secretName, secretNamespace] = GROUP_DELETION_SECRET;
	const annotations = secret === undefined ? {} : { [secretName]: secret.name ?? '', [secretNamespace]: secret.namespace ?? '' };
	const content: VolumeGroupSnapshotContent = {
		metadata: { name, annotations },
		spec: {
			volumeGroupSnapshotRef: referenceTo(VOLUME_GROUP_SNAPSHOTS, group),
			source: { volumeHandles: volumes.map((volume) => volume.spec?.csi?.volumeHandle ?? '') },
			volumeGroupSnapshotClassName: groupClass.metadata.name,
			deletionPolicy: groupClass.deletionPolicy,
			driver,
		},
	};
	const { client, recorder } = control;
	const text = `Waiting for a group snapshot ${keyOf(group)} to be created by the CSI driver.`;
	recorder.event(referenceTo(VOLUME_GROUP_SNAPSHOTS, group), 'Normal', 'CreatingGroupSnapshot', text);
	const created = await client.create(VOLUME_GROUP_SNAPSHOT_CONTENTS, content, { signal }).catch(ignore('AlreadyExists'));
	return created ?? client.get(VOLUME_GROUP_SNAPSHOT_CONTENTS, name, { signal });
}

/** Of the claims that the selector matches; all of them are bound. */
function volumesOf({ claims, volumes }: GroupControl, { metadata, spec }: VolumeGroupSnapshot): readonly PersistentVolume[] {
	const selected = claims
		.list(metadata.namespace)
		.filter((claim) => matchesLabelSelector(spec.source.selector, claim.metadata.labels ?? {}));
	if (selected.length === 0) throw new AppError('FailedPrecondition', 'label selector for group snapshot does not match any claims');
	return selected.map((claim) => {
		const volume = claim.status?.phase === 'Bound' ? volumes.get(claim.spec?.volumeName ?? '') : undefined;
		if (volume !== undefined) return volume;
		throw new AppError(
			'FailedPrecondition',
			`the PVC ${claim.metadata.name} is not yet bound to a PV, will not attempt to take a group snapshot`,
		);
	});
}

async function bind(
	{ client }: GroupControl,
	group: VolumeGroupSnapshot,
	content: VolumeGroupSnapshotContent,
	signal: AbortSignal,
): Promise<VolumeGroupSnapshotContent> {
	const { name, namespace, uid = '' } = content.spec.volumeGroupSnapshotRef;
	if (name !== group.metadata.name || namespace !== group.metadata.namespace || (uid !== '' && uid !== group.metadata.uid))
		throw new AppError(
			'FailedPrecondition',
			`VolumeGroupSnapshotContent [${content.metadata.name}] is bound to a different group snapshot`,
		);
	if (uid !== '') return content;
	const body = { spec: { volumeGroupSnapshotRef: { uid: group.metadata.uid } } };
	return client.patch(VOLUME_GROUP_SNAPSHOT_CONTENTS, content.metadata.name ?? '', { type: 'merge', body }, { signal });
}

/** The driver deletes the group as one; the members' objects follow their owner. */
async function remove({ client, groupContents }: GroupControl, group: VolumeGroupSnapshot, signal: AbortSignal): Promise<void> {
	if (!hasFinalizer(group, GROUP_BOUND_FINALIZER)) return;
	const name = group.status?.boundVolumeGroupSnapshotContentName ?? `groupsnapcontent-${group.metadata.uid}`;
	const content = groupContents.get(name);
	if (content !== undefined && content.spec.volumeGroupSnapshotRef.uid === group.metadata.uid) {
		if (content.metadata.annotations?.[GROUP_BEING_DELETED] === undefined) {
			const body = { metadata: { annotations: { [GROUP_BEING_DELETED]: 'yes' } } };
			await client.patch(VOLUME_GROUP_SNAPSHOT_CONTENTS, name, { type: 'merge', body }, { signal }).catch(ignore('NotFound'));
		}
		if (content.spec.deletionPolicy === 'Delete') {
			if (content.metadata.deletionTimestamp === undefined)
				await client.delete(VOLUME_GROUP_SNAPSHOT_CONTENTS, name, { signal }).catch(ignore('NotFound'));
			return;
		}
	}
	await removeFinalizer(client, VOLUME_GROUP_SNAPSHOTS, group, GROUP_BOUND_FINALIZER, signal);
}
