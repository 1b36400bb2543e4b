/** The kinds of snapshot.storage.k8s.io/v1 and groupsnapshot.storage.k8s.io/v1, which are custom resources: what the roles read and write of them. */
import type { ObjectMeta, ObjectReference, LabelSelector } from '../../api/gen/types.ts';
import type { Resource } from '../../api/resource.ts';

interface Of<Spec, Status> {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: Spec;
	status?: Status | undefined;
}

export interface SnapshotFailure {
	message?: string | undefined;
	time?: string | undefined;
}

export type DeletionPolicy = 'Delete' | 'Retain';

export type VolumeSnapshot = Of<
	{
		source: { persistentVolumeClaimName?: string | undefined; volumeSnapshotContentName?: string | undefined };
		volumeSnapshotClassName?: string | undefined;
	},
	{
		boundVolumeSnapshotContentName?: string | undefined;
		creationTime?: string | undefined;
		readyToUse?: boolean | undefined;
		restoreSize?: string | undefined;
		error?: SnapshotFailure | undefined;
		volumeGroupSnapshotName?: string | undefined;
	}
>;

export type VolumeSnapshotContent = Of<
	{
		deletionPolicy: DeletionPolicy;
		driver: string;
		source: { volumeHandle?: string | undefined; snapshotHandle?: string | undefined };
		sourceVolumeMode?: string | undefined;
		volumeSnapshotClassName?: string | undefined;
		volumeSnapshotRef: ObjectReference;
	},
	{
		/** Nanoseconds since the epoch. */
		creationTime?: number | bigint | undefined;
		error?: SnapshotFailure | undefined;
		readyToUse?: boolean | undefined;
		restoreSize?: number | bigint | undefined;
		snapshotHandle?: string | undefined;
		volumeGroupSnapshotHandle?: string | undefined;
	}
>;

interface Class {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	driver: string;
	deletionPolicy: DeletionPolicy;
	parameters?: Record<string, string> | undefined;
}

export type VolumeSnapshotClass = Class;
export type VolumeGroupSnapshotClass = Class;

export type VolumeGroupSnapshot = Of<
	{
		source: { selector?: LabelSelector | undefined; volumeGroupSnapshotContentName?: string | undefined };
		volumeGroupSnapshotClassName?: string | undefined;
	},
	{
		boundVolumeGroupSnapshotContentName?: string | undefined;
		creationTime?: string | undefined;
		readyToUse?: boolean | undefined;
		error?: SnapshotFailure | undefined;
	}
>;

export interface VolumeSnapshotInfo {
	creationTime?: number | bigint | undefined;
	readyToUse?: boolean | undefined;
	restoreSize?: number | bigint | undefined;
	snapshotHandle?: string | undefined;
	volumeHandle?: string | undefined;
}

export type VolumeGroupSnapshotContent = Of<
	{
		deletionPolicy: DeletionPolicy;
		driver: string;
		source: {
			volumeHandles?: string[] | undefined;
			groupSnapshotHandles?: { volumeGroupSnapshotHandle: string; volumeSnapshotHandles: string[] } | undefined;
		};
		volumeGroupSnapshotClassName?: string | undefined;
		volumeGroupSnapshotRef: ObjectReference;
	},
	{
		creationTime?: string | undefined;
		error?: SnapshotFailure | undefined;
		readyToUse?: boolean | undefined;
		volumeGroupSnapshotHandle?: string | undefined;
		volumeSnapshotInfoList?: VolumeSnapshotInfo[] | undefined;
	}
>;

export const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';
export const GROUP_SNAPSHOT_GROUP = 'groupsnapshot.storage.k8s.io';

const of = { version: 'v1', subresources: ['status'] } as const;
const single = { ...of, group: SNAPSHOT_GROUP } as const;
const grouped = { ...of, group: GROUP_SNAPSHOT_GROUP } as const;

export const VOLUME_SNAPSHOTS: Resource<VolumeSnapshot> = {
	...{ ...single, namespaced: true },
	...{ kind: 'VolumeSnapshot', plural: 'volumesnapshots' },
};
export const VOLUME_SNAPSHOT_CONTENTS: Resource<VolumeSnapshotContent> = {
	...{ ...single, namespaced: false },
	...{ kind: 'VolumeSnapshotContent', plural: 'volumesnapshotcontents' },
};
export const VOLUME_SNAPSHOT_CLASSES: Resource<VolumeSnapshotClass> = {
	...{ ...single, namespaced: false, subresources: [] },
	...{ kind: 'VolumeSnapshotClass', plural: 'volumesnapshotclasses' },
};
export const VOLUME_GROUP_SNAPSHOTS: Resource<VolumeGroupSnapshot> = {
	...{ ...grouped, namespaced: true },
	...{ kind: 'VolumeGroupSnapshot', plural: 'volumegroupsnapshots' },
};
export const VOLUME_GROUP_SNAPSHOT_CONTENTS: Resource<VolumeGroupSnapshotContent> = {
	...{ ...grouped, namespaced: false },
	...{ kind: 'VolumeGroupSnapshotContent', plural: 'volumegroupsnapshotcontents' },
};
export const VOLUME_GROUP_SNAPSHOT_CLASSES: Resource<VolumeGroupSnapshotClass> = {
	...{ ...grouped, namespaced: false, subresources: [] },
	...{ kind: 'VolumeGroupSnapshotClass', plural: 'volumegroupsnapshotclasses' },
};
