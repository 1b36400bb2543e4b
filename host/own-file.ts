/**
 * Files in a folder into which others may put names of their own, such as pods' logs: reached by no link, and looked at once they are open, so that
 * whoever swaps a name meanwhile gains nothing.
 */
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { placeOf } from './beneath.ts';

/**
 * Opens the file with `flags` of open(2). Throws FailedPrecondition where it, or a folder between it and `root`, is a link, where it is no plain file,
 * or where it has another name.
 */
export async function openOwn(path: string, root: string, flags: number, mode?: number): Promise<FileHandle> {
	// O_NONBLOCK: a pipe that nobody uses must not hold us.
	const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
	try {
		const [actual, stat, base] = await Promise.all([readlink(placeOf(file)), file.stat(), realpath(root)]);
		if (!stat.isFile() || actual !== join(base, path.slice(root.length)))
			throw new AppError('FailedPrecondition', `"${path}" is no file of its own below "${root}": it is "${actual}"`);
		if (stat.nlink > 1) throw new AppError('FailedPrecondition', `"${path}" has a second name`);
		return file;
	} catch (error) {
		await file.close();
		throw error;
	}
}
