/** XFS by xfsprogs. It grows mounted only, and checks its log itself when it is mounted. */
import { runCommand } from '../../host/command.ts';
import type { FileSystem } from './filesystem.ts';

const MIB = 1024 ** 2;

export const XFS: FileSystem = {
	type: 'xfs',
	/** mkfs.xfs refuses less since 5.19. */
	minBytes: 300 * MIB,
	maxBytes: 16 * 1024 ** 4 - 4096,
	command: 'mkfs.xfs',
	/** A clone has its original's UUID, and both may be mounted. */
	mountOptions: ['nouuid'],

	async make(file) {
		await runCommand('mkfs.xfs', ['-q', '-f', '-K', file]);
	},
	check: () => Promise.resolve(),
	growOffline: () => Promise.resolve(),
	async growOnline(_device, mountPoint) {
		await runCommand('xfs_growfs', ['-d', mountPoint]);
	},
	growsOnline: () => true,
};
