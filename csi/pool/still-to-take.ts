/** What the pool has to keep free for what is there: volumes are written until they are full, snapshots never are. Pure. */
import type { DataFacts, VolumeRecord } from '../records/records.ts';

/** File systems whose copies share blocks. */
export const SHARING: ReadonlySet<string> = new Set(['xfs', 'btrfs']);

export type MayTake<R> = (record: R, allocatedBytes: number, shares: boolean) => number;

/** `shares`: copies of images share blocks with what they were made of, so that what is allocated may be needed once more when one of the two is written. */
export function volumeMayTake({ sizeBytes, backend, source }: VolumeRecord, allocatedBytes: number, shares: boolean): number {
	const counted = shares && backend === 'loop' && source !== undefined ? 0 : allocatedBytes;
	return Math.max(0, sizeBytes - counted);
}

export function snapshotMayTake({ backend }: Pick<DataFacts, 'backend'>, allocatedBytes: number, shares: boolean): number {
	return shares && backend === 'loop' ? allocatedBytes : 0;
}
