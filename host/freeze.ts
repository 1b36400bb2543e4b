/** Freezing file systems: everything written is on the disk, and writers wait until the thaw (fsfreeze(8)). */
import { runCommand } from './command.ts';

/** Freezing what is frozen already is success: a crash may have left it so. */
export async function freeze(mountPoint: string): Promise<void> {
	await runCommand('fsfreeze', ['--freeze', mountPoint]).catch((error: Error) => {
		if (!/busy/i.test(error.message)) throw error;
	});
}

/** Thawing what is not frozen is success. */
export async function thaw(mountPoint: string): Promise<void> {
	await runCommand('fsfreeze', ['--unfreeze', mountPoint]).catch((error: Error) => {
		if (!/invalid argument/i.test(error.message)) throw error;
	});
}

/** Writes out what is to be written now, as a freeze does, while writers go on. */
export async function syncFileSystem(mountPoint: string): Promise<void> {
	await runCommand('sync', ['--file-system', mountPoint]);
}
