/** The file systems that images can have. */
import type { FsType } from '../capability.ts';
import { EXT4 } from './ext4.ts';
import type { FileSystem } from './filesystem.ts';
import { XFS } from './xfs.ts';

export const FILE_SYSTEMS: Readonly<Record<FsType, FileSystem>> = { ext4: EXT4, xfs: XFS };
