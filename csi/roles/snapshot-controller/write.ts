/** What the snapshot controller reads and writes of snapshots and their contents. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import { ignore } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import { referenceTo } from '../../../client/events.ts';
import type { ControllerDeps } from '../role.ts';
import {
	VOLUME_SNAPSHOT_CONTENTS,
	VOLUME_SNAPSHOTS,
	type VolumeGroupSnapshotContent,
	type VolumeSnapshot,
	type VolumeSnapshotClass,
	type VolumeSnapshotContent,
} from '../snapshot-kinds.ts';
import { BEING_DELETED, isReady, millisecondsOf } from '../snapshot-names.ts';
import { formatQuantity } from '../../../api/quantity.ts';

export interface SnapshotControl extends ControllerDeps {
	readonly snapshots: Lister<VolumeSnapshot>;
	readonly contents: Lister<VolumeSnapshotContent>;
	readonly classes: Lister<VolumeSnapshotClass>;
	readonly claims: Lister<PersistentVolumeClaim>;
	readonly volumes: Lister<PersistentVolume>;
	/** undefined: groups are not served. */
	readonly groupContents?: Lister<VolumeGroupSnapshotContent> | undefined;
}

/** "snapcontent-UID", for a snapshot that is taken anew. */
export function contentName({ metadata }: VolumeSnapshot): string {
	return `snapcontent-${metadata.uid}`;
}

export function refersTo({ spec }: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
	const { name, namespace, uid } = spec.volumeSnapshotRef;
	return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}

/** Brings the snapshot's status to what its content says. */
export async function tellStatus(
	control: SnapshotControl,
	snapshot: VolumeSnapshot,
	content: VolumeSnapshotContent,
	signal: AbortSignal,
): Promise<void> {
	const { client, recorder } = control;
	const current = await client.get(VOLUME_SNAPSHOTS, keyOf(snapshot), { signal });
	const status = statusFrom(current.status, content, groupOf(control, content));
	if (status === undefined) return;
	const about = referenceTo(VOLUME_SNAPSHOTS, snapshot);
	const key = keyOf(snapshot);
	if (current.status?.creationTime === undefined && status.creationTime !== undefined)
		recorder.event(about, 'Normal', 'SnapshotCreated', `Snapshot ${key} was successfully created by the CSI driver.`);
	if (!isReady(current) && isReady({ ...current, status }))
		recorder.event(about, 'Normal', 'SnapshotReady', `Snapshot ${key} is ready to use.`);
	await client.update(VOLUME_SNAPSHOTS, { ...current, status }, { signal, subresource: 'status' });
}

function groupOf({ groupContents }: SnapshotControl, content: VolumeSnapshotContent): string | undefined {
	const handle = content.status?.volumeGroupSnapshotHandle;
	if (handle === undefined) return undefined;
	return groupContents?.list().find((group) => group.status?.volumeGroupSnapshotHandle === handle)?.spec.volumeGroupSnapshotRef.name;
}

/** The status that a snapshot is to have; undefined where it has it. Pure. */
function statusFrom(before: VolumeSnapshot['status'], content: VolumeSnapshotContent, group: string | undefined): VolumeSnapshot['status'] {
	const { creationTime, restoreSize, readyToUse = false, error } = content.status ?? {};
	const { error: told, ...rest } = before ?? {};
	const size = restoreSize === undefined ? undefined : formatQuantity({ nano: BigInt(restoreSize) * 1_000_000_000n, format: 'BinarySI' });
	const status: NonNullable<VolumeSnapshot['status']> = {
		...rest,
		boundVolumeSnapshotContentName: before?.boundVolumeSnapshotContentName ?? content.metadata.name,
		readyToUse,
		...(before?.creationTime === undefined && creationTime !== undefined ? { creationTime: timeOf(millisecondsOf(creationTime)) } : {}),
		...((before?.restoreSize === undefined || before.restoreSize === '0') && size !== undefined ? { restoreSize: size } : {}),
		...(before?.volumeGroupSnapshotName === undefined && group !== undefined ? { volumeGroupSnapshotName: group } : {}),
		...(error === undefined ? {} : { error }),
	};
	const keys = new Set([...Object.keys(status), ...Object.keys(rest)]) as ReadonlySet<keyof typeof status>;
	const same = [...keys].every((key) => key === 'error' || status[key] === before?.[key]);
	return same && told?.message === error?.message && told?.time === error?.time ? undefined : status;
}

/** Tells the driver's snapshotter that nobody has the snapshot any more. */
export async function markBeingDeleted({ client }: SnapshotControl, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
	if (content.metadata.annotations?.[BEING_DELETED] !== undefined) return;
	const body = { metadata: { annotations: { [BEING_DELETED]: 'yes' } } };
	await client.patch(VOLUME_SNAPSHOT_CONTENTS, content.metadata.name ?? '', { type: 'merge', body }, { signal }).catch(ignore('NotFound'));
}
