/**
 * What the pool has to keep free so that nobody who was promised a size meets a full disk. Pure; bytes.
 *
 * Where images share no blocks, a volume of size S that holds A may take S − A more, and a snapshot nothing: it is never written.
 *
 * Where copies share blocks (reflinks), a block that is shared is written elsewhere, and the snapshot keeps the old one. What may still be taken is what
 * all of it takes at the end less what it takes now:
 * - At the end each volume has S blocks of its own at most, and the snapshots have what they have now, N blocks that are not the same: ΣS + N.
 * - Now the disk has N blocks of snapshots, and V blocks of volumes that are in no snapshot: N + V.
 * - So ΣS − V may still be taken, however many snapshots there are: a volume parts from all of them when it is first written to, once a block.
 *
 * V is not known without reading every image's extents, so less is taken for it. Volumes without a source (roots) share blocks with no other root, only with
 * what descends from them. A root that holds A has at least A − Σ(its snapshots' and its descendants' snapshots' A) blocks that are in no snapshot; copies
 * add none, for they may share all they have with their root. A snapshot whose root is not known may have blocks of any of them, each block of one only: it is
 * taken off the sum. Too little for V is safe: more is kept free than is needed. As a volume is written, V grows by what the free room shrinks by.
 *
 * Not counted: what the pool's file system takes for itself (extents, checksums), and on btrfs extents that are kept whole while a part of them is used.
 */
import type { DataFacts, SnapshotRecord, VolumeRecord } from '../records/records.ts';

/** A record, and what its data takes of the pool. */
export interface Holding<R extends DataFacts> {
	readonly record: R;
	readonly allocatedBytes: number;
}

export interface Holdings {
	readonly volumes: readonly Holding<VolumeRecord>[];
	readonly snapshots: readonly Holding<SnapshotRecord>[];
}

/** `shares`: copies of images share blocks with what they were made of. */
export function stillToTake({ volumes, snapshots }: Holdings, shares: boolean): number {
	const images = shares ? volumes.filter(({ record }) => record.backend === 'loop') : [];
	const others = shares ? volumes.filter(({ record }) => record.backend !== 'loop') : volumes;
	const sizes = sum(images.map(({ record }) => record.sizeBytes));
	const rest = sum(others.map(({ record, allocatedBytes }) => Math.max(0, record.sizeBytes - allocatedBytes)));
	return sizes - atLeastUnshared(images, snapshots) + rest;
}

/** Of V: blocks of volumes that are surely in no snapshot. */
function atLeastUnshared(volumes: readonly Holding<VolumeRecord>[], snapshots: readonly Holding<SnapshotRecord>[]): number {
	const roots = new Map(
		volumes.flatMap(({ record, allocatedBytes }) =>
			rootOf(record) === record.id ? [[record.id, Math.min(record.sizeBytes, allocatedBytes)]] : [],
		),
	);
	let ofUnknown = 0;
	for (const { record, allocatedBytes } of snapshots.filter((s) => s.record.backend === 'loop')) {
		const root = record.root ?? (roots.has(record.volumeId) ? record.volumeId : undefined);
		if (root === undefined) ofUnknown += allocatedBytes;
		else if (roots.has(root)) roots.set(root, Math.max(0, (roots.get(root) ?? 0) - allocatedBytes));
	}
	return Math.max(0, sum([...roots.values()]) - ofUnknown);
}

/** The volume without a source that blocks of this one may come from. Undefined for copies whose record is from before that was kept. */
export function rootOf({ id, source, root }: Pick<VolumeRecord, 'id' | 'source' | 'root'>): string | undefined {
	return source === undefined ? id : root;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, each) => total + each, 0);
}
