/** The members of a group snapshot that was taken: a VolumeSnapshot and its content for each volume, bound to each other and owned by the group. */
import { createHash } from 'node:crypto';
import { ignore } from '../../../base/errors.ts';
import { apiVersionOf } from '../../../api/resource.ts';
import {
	VOLUME_GROUP_SNAPSHOTS,
	VOLUME_SNAPSHOT_CONTENTS,
	VOLUME_SNAPSHOTS,
	type VolumeGroupSnapshot,
	type VolumeGroupSnapshotContent,
	type VolumeSnapshot,
	type VolumeSnapshotContent,
	type VolumeSnapshotInfo,
} from '../snapshot-kinds.ts';
import { CONTENT_FINALIZER, DELETION_SECRET, GROUP_DELETION_SECRET, GROUP_HANDLE, SNAPSHOT_IN_GROUP_FINALIZER } from '../snapshot-names.ts';
import type { SnapshotControl } from './write.ts';

/** Safe to repeat: names say which volume of which group. */
export async function createMembers(
	control: SnapshotControl,
	group: VolumeGroupSnapshot,
	content: VolumeGroupSnapshotContent,
	signal: AbortSignal,
): Promise<void> {
	const { volumeGroupSnapshotHandle: handle, volumeSnapshotInfoList: infos = [] } = content.status ?? {};
	if (handle === undefined) return;
	for (const info of infos) await createMember(control, group, content, info, handle, signal);
}

async function createMember(
	control: SnapshotControl,
	group: VolumeGroupSnapshot,
	content: VolumeGroupSnapshotContent,
	info: VolumeSnapshotInfo,
	handle: string,
	signal: AbortSignal,
): Promise<void> {
	const { client, contents, snapshots, volumes } = control;
	const { volumeHandle = '' } = info;
	const hash = createHash('sha256').update(`${group.metadata.uid}${volumeHandle}`).digest('hex');
	const [name, contentName, namespace = ''] = [`snapshot-${hash}`, `snapcontent-${hash}`, group.metadata.namespace];
	const present = contents.get(contentName);
	if (
		present?.status?.snapshotHandle !== undefined &&
		snapshots.get(`${namespace}/${name}`)?.status?.boundVolumeSnapshotContentName === contentName
	)
		return;
	const volume = volumes.list().find((v) => v.spec?.csi?.driver === content.spec.driver && v.spec.csi.volumeHandle === volumeHandle);
	const owner = {
		apiVersion: apiVersionOf(VOLUME_GROUP_SNAPSHOTS),
		kind: VOLUME_GROUP_SNAPSHOTS.kind,
		name: group.metadata.name ?? '',
		uid: group.metadata.uid ?? '',
	};
	const snapshot: VolumeSnapshot = {
		metadata: { name, namespace, ownerReferences: [{ ...owner, controller: true }], finalizers: [SNAPSHOT_IN_GROUP_FINALIZER] },
		spec: { source: { persistentVolumeClaimName: volume?.spec?.claimRef?.name ?? '' } },
	};
	const created = await client.create(VOLUME_SNAPSHOTS, snapshot, { signal }).catch(ignore('AlreadyExists'));
	const { metadata } = created ?? (await client.get(VOLUME_SNAPSHOTS, `${namespace}/${name}`, { signal }));
	const { annotations = {} } = content.metadata;
	const secret = GROUP_DELETION_SECRET.flatMap((key, i) =>
		annotations[key] === undefined ? [] : [[DELETION_SECRET[i] ?? '', annotations[key]]],
	);
	const member: VolumeSnapshotContent = {
		metadata: {
			name: contentName,
			finalizers: [CONTENT_FINALIZER],
			annotations: { [GROUP_HANDLE]: handle, ...Object.fromEntries(secret) },
		},
		spec: {
			volumeSnapshotRef: { apiVersion: apiVersionOf(VOLUME_SNAPSHOTS), kind: VOLUME_SNAPSHOTS.kind, name, namespace, uid: metadata.uid },
			deletionPolicy: content.spec.deletionPolicy,
			driver: content.spec.driver,
			source: { volumeHandle },
			...(volume?.spec?.volumeMode === undefined ? {} : { sourceVolumeMode: volume.spec.volumeMode }),
		},
	};
	await client.create(VOLUME_SNAPSHOT_CONTENTS, member, { signal }).catch(ignore('AlreadyExists'));
	const { volumeHandle: _volume, ...told } = info;
	const options = { signal, subresource: 'status' };
	const status = { ...told, volumeGroupSnapshotHandle: handle };
	await client.patch(VOLUME_SNAPSHOT_CONTENTS, contentName, { type: 'merge', body: { status } }, options);
	const bound = { status: { boundVolumeSnapshotContentName: contentName, volumeGroupSnapshotName: group.metadata.name } };
	await client.patch(VOLUME_SNAPSHOTS, `${namespace}/${name}`, { type: 'merge', body: bound }, options);
}
