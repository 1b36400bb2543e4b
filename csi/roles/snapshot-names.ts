/** Finalizers, annotations and parameters by which the snapshot controller and the snapshotters talk (external-snapshotter's pkg/utils). */
import { AppError } from '../../base/errors.ts';
import type { SecretReference } from '../../api/gen/types.ts';
import { RESERVED, secretKeys } from './secrets.ts';
import type { VolumeSnapshot } from './snapshot-kinds.ts';

export const CONTENT_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';
export const SNAPSHOT_BOUND_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
export const SNAPSHOT_SOURCE_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection';
export const SNAPSHOT_IN_GROUP_FINALIZER = 'snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection';
export const CLAIM_FINALIZER = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';
export const GROUP_CONTENT_FINALIZER = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection';
export const GROUP_BOUND_FINALIZER = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection';

export const DEFAULT_CLASS = 'snapshot.storage.kubernetes.io/is-default-class';
export const DEFAULT_GROUP_CLASS = 'groupsnapshot.storage.kubernetes.io/is-default-class';
export const BEING_DELETED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted';
export const BEING_CREATED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-created';
export const GROUP_BEING_DELETED = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted';
export const GROUP_BEING_CREATED = 'groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created';
export const DELETION_SECRET = [
	'snapshot.storage.kubernetes.io/deletion-secret-name',
	'snapshot.storage.kubernetes.io/deletion-secret-namespace',
] as const;
export const GROUP_DELETION_SECRET = [
	'groupsnapshot.storage.kubernetes.io/deletion-secret-name',
	'groupsnapshot.storage.kubernetes.io/deletion-secret-namespace',
] as const;
/** On contents that are members of a group: they are not made one by one. */
export const GROUP_HANDLE = 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle';

export const SNAPSHOTTER_SECRET = secretKeys('Snapshotter', 'snapshotter');
export const LIST_SECRET = secretKeys('SnapshotterList', 'snapshotter-list');
export const GROUP_SECRET = secretKeys('GroupSnapshotter', 'group-snapshotter');
const GROUP_GET_SECRET = secretKeys('GroupSnapshotterGet', 'group-snapshotter-get');

const KNOWN = new Set([SNAPSHOTTER_SECRET, LIST_SECRET, GROUP_SECRET, GROUP_GET_SECRET].flatMap(({ keys }) => keys));

/** What the driver is told of a class's parameters. Pure. */
export function snapshotParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
	const unknown = Object.keys(parameters).find((key) => key.startsWith(RESERVED) && !KNOWN.has(key));
	if (unknown !== undefined)
		throw new AppError('InvalidArgument', `found unknown parameter key "${unknown}" with reserved namespace ${RESERVED}`);
	return Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(RESERVED)));
}

/** The secret that the annotations name, for deletion. */
export function annotatedSecret(
	annotations: Readonly<Record<string, string>> | undefined,
	[nameKey, namespaceKey]: readonly [string, string],
): SecretReference | undefined {
	const [name, namespace] = [annotations?.[nameKey], annotations?.[namespaceKey]];
	return name === undefined || namespace === undefined || name === '' || namespace === '' ? undefined : { name, namespace };
}

export function isReady({ status }: VolumeSnapshot): boolean {
	const failed = status?.error !== undefined;
	return !failed && status?.readyToUse === true;
}

/** Wall time of a content's nanoseconds. */
export function millisecondsOf(nanoseconds: number | bigint): number {
	return Number(BigInt(nanoseconds) / 1_000_000n);
}

/** A number that is written exactly: milliseconds have zeros enough. */
export function nanosecondsOf(date: Date | undefined, now: number): number {
	return (date === undefined || date.getTime() <= 0 ? now : date.getTime()) * 1_000_000;
}
