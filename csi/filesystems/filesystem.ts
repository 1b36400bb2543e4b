/** The file systems that images can have. One interface, one file each. */
import type { FsType } from '../capability.ts';
import { EXT4 } from './ext4.ts';
import { XFS } from './xfs.ts';

export interface FileSystem {
	readonly type: FsType;
	readonly minBytes: number;
	readonly maxBytes: number;
	/** The command that makes it, by which it is detected. */
	readonly command: string;
	/** What every mount of it is given. */
	readonly mountOptions: readonly string[];
	make(file: string): Promise<void>;
	/** Repairs what a crash left, before a mount. Throws FailedPrecondition for what needs a person. */
	check(file: string): Promise<void>;
	/** Grows an unmounted one to its file; does nothing where it only grows mounted. */
	growOffline(file: string): Promise<void>;
	/** Grows a mounted one to its device. */
	growOnline(device: string, mountPoint: string): Promise<void>;
	/** Whether `growOnline` works in this process. */
	growsOnline(capabilities: readonly string[]): boolean;
}

export const FILE_SYSTEMS: Readonly<Record<FsType, FileSystem>> = { ext4: EXT4, xfs: XFS };
