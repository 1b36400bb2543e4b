/** Space and inodes of a file system, by statfs. */
import { statfs } from 'node:fs/promises';

export interface FsStats {
	readonly capacityBytes: number;
	/** Free for users without privilege. */
	readonly availableBytes: number;
	readonly usedBytes: number;
	readonly inodes: number;
	readonly inodesFree: number;
	readonly inodesUsed: number;
}

export async function fsStats(path: string): Promise<FsStats> {
	const s = await statfs(path);
	return {
		capacityBytes: s.blocks * s.bsize,
		availableBytes: s.bavail * s.bsize,
		usedBytes: (s.blocks - s.bfree) * s.bsize,
		inodes: s.files,
		inodesFree: s.ffree,
		inodesUsed: s.files - s.ffree,
	};
}
