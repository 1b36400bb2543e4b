/**
 * Freezing file systems: everything written is on the disk, and writers wait until the thaw (fsfreeze(8)). What is mounted is held open from before the
 * freeze to the thaw: a path may lead to the file system below it by then, which is the host's own.
 */
import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { openItself, placeFor } from './beneath.ts';
import { runCommand } from './command.ts';
import { deviceNumber } from './mounted.ts';

/** Where a file system is mounted, and its device, major:minor. */
export interface MountPoint {
	readonly path: string;
	readonly device: string;
}

/** Holds a mounted file system, which cannot be unmounted until it is closed. Throws Aborted where it is not at its path any more. */
export async function holdMounted({ path, device }: MountPoint): Promise<FileHandle> {
	const gone = (cause?: unknown): AppError => new AppError('Aborted', `Device ${device} is not mounted at "${path}" any more`, { cause });
	const held = await openItself(path).catch((error: NodeJS.ErrnoException) => {
		throw error.code === 'ENOENT' || error.code === 'ENOTDIR' ? gone(error) : error;
	});
	try {
		if (deviceNumber(fstatSync(held.fd).dev) !== device) throw gone();
		return held;
	} catch (error) {
		await held.close();
		throw error;
	}
}

/** Freezing what is frozen already is success: a crash may have left it so. */
export async function freeze(mounted: FileHandle): Promise<void> {
	await runCommand('fsfreeze', ['--freeze', placeFor(mounted)]).catch((error: Error) => {
		if (!/busy/i.test(error.message)) throw error;
	});
}

/** Thawing what is not frozen is success. */
export async function thaw(mounted: FileHandle): Promise<void> {
	await runCommand('fsfreeze', ['--unfreeze', placeFor(mounted)]).catch((error: Error) => {
		if (!/invalid argument/i.test(error.message)) throw error;
	});
}

/** Writes out what is to be written now, as a freeze does, while writers go on. */
export async function syncFileSystem(mounted: FileHandle): Promise<void> {
	await runCommand('sync', ['--file-system', placeFor(mounted)]);
}
