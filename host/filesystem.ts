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

/** f_type of statfs(2) by name, of those that somebody here asks for. */
const TYPES = new Map<number, string>([
	[0xef53, 'ext4'],
	[0x58465342, 'xfs'],
	[0x9123683e, 'btrfs'],
	[0x01021994, 'tmpfs'],
	[0x794c7630, 'overlay'],
	[0x2fc12fc1, 'zfs'],
	[0xca451a4e, 'bcachefs'],
	[0x3434, 'nilfs2'],
	[0xf2f52010, 'f2fs'],
]);

/** The kind of file system that holds the path; undefined for the many others. */
export async function fsType(path: string): Promise<string | undefined> {
	return fsTypeOf((await statfs(path)).type);
}

/** Pure. Undefined for the many others. */
export function fsTypeOf(magic: number): string | undefined {
	return TYPES.get(magic >>> 0);
}
