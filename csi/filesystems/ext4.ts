/** ext4 by e2fsprogs. */
import { AppError, messageOf } from '../../base/errors.ts';
import { runCommand } from '../../host/command.ts';
import type { FileSystem } from './filesystem.ts';

const MIB = 1024 ** 2;
/** e2fsck(8): 1 is "errors corrected"; from 4 on something is left. */
const CORRECTED = /failed \(1\)/;
const LEFT = /failed \((?:[4-7])\)/;

export const EXT4: FileSystem = {
	type: 'ext4',
	minBytes: 4 * MIB,
	maxBytes: 16 * 1024 ** 4 - 4096,
	command: 'mkfs.ext4',
	mountOptions: [],

	/** No reserve for root, and nothing written that is zero in a new file anyway. */
	async make(file) {
		await runCommand('mkfs.ext4', ['-q', '-F', '-m', '0', '-E', 'nodiscard,lazy_itable_init=1,lazy_journal_init=1', '--', file]);
	},

	async check(file) {
		await preen(file, ['-p']);
	},

	async growOffline(file) {
		await preen(file, ['-f', '-p']); // resize2fs asks for it
		await runCommand('resize2fs', [file]);
	},

	async growOnline(device) {
		await runCommand('resize2fs', [device]);
	},

	/** EXT4_IOC_RESIZE_FS asks for it. */
	growsOnline: (capabilities) => capabilities.includes('SYS_RESOURCE'),
};

async function preen(file: string, flags: readonly string[]): Promise<void> {
	try {
		await runCommand('e2fsck', [...flags, file]);
	} catch (error) {
		const said = messageOf(error);
		if (CORRECTED.test(said)) return;
		if (LEFT.test(said)) throw new AppError('FailedPrecondition', `The file system needs repair by hand: ${said}`, { cause: error });
		throw error;
	}
}
