/** What is kept of a volume, a snapshot and a group. Each lies in a folder of its own, beside its data. */
import type { BackendKind } from '../backends/kinds.ts';
import type { Capability, FsType } from '../capability.ts';

/** What a volume was filled with when it was made. */
export type Source = { readonly kind: 'snapshot'; readonly id: string } | { readonly kind: 'volume'; readonly id: string };

/** A node that a volume is published to, and how. */
export interface Publication {
	readonly nodeId: string;
	readonly readonly: boolean;
	readonly capability: Capability;
}

/** What the data of a volume or snapshot is. */
export interface DataFacts {
	readonly backend: BackendKind;
	readonly access: 'mount' | 'block';
	/** Of the file system in an image; undefined for raw blocks and where the pool's own file system holds the files. */
	readonly fsType?: FsType | undefined;
	readonly sizeBytes: number;
}

export interface VolumeRecord extends DataFacts {
	readonly id: string;
	readonly name: string;
	readonly createdAtMs: number;
	readonly parameters: Readonly<Record<string, string>>;
	readonly mutableParameters: Readonly<Record<string, string>>;
	readonly source?: Source | undefined;
	/** Of a copy: the volume without a source that blocks of it may come from, there or not; unknown in records of before. */
	readonly root?: string | undefined;
	readonly publications: readonly Publication[];
}

export interface SnapshotRecord extends DataFacts {
	readonly id: string;
	readonly name: string;
	readonly createdAtMs: number;
	readonly volumeId: string;
	/** Of the volume when it was taken: it is erased as that would have been. */
	readonly mutableParameters?: Readonly<Record<string, string>> | undefined;
	/** The volume without a source that blocks of it may come from, there or not; unknown in records of before. */
	readonly root?: string | undefined;
	/** The group it was made with; without that group's record it was never acknowledged. */
	readonly groupId?: string | undefined;
}

export interface GroupRecord {
	readonly id: string;
	readonly name: string;
	readonly createdAtMs: number;
	readonly snapshotIds: readonly string[];
}
