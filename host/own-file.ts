/**
 * Files in a folder into which others may put names of their own, such as pods' logs: reached by no link, so that whoever swaps a name meanwhile gains
 * nothing, and nothing is made elsewhere.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { AppError } from '../base/errors.ts';
import { openBeneath, openFolder, placeOf } from './beneath.ts';

/** Of folders that are made on the way. */
const FOLDER_MODE = 0o755;

/**
 * Opens the file with `flags` of open(2); O_CREAT makes the folders between it and `root`, too. Throws PermissionDenied where one of these is a link,
 * FailedPrecondition where the file is no plain one or has another name, and open(2)'s error where it is a link.
 */
export async function openOwn(path: string, root: string, flags: number, mode?: number): Promise<FileHandle> {
	await using folder = await openOwnFolder(path, root, (flags & constants.O_CREAT) === 0 ? undefined : FOLDER_MODE);
	// O_NONBLOCK: a pipe that nobody uses must not hold us.
	const file = await open(`${placeOf(folder)}/${basename(path)}`, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
	try {
		const stat = await file.stat();
		if (!stat.isFile()) throw new AppError('FailedPrecondition', `"${path}" is no file`);
		if (stat.nlink > 1) throw new AppError('FailedPrecondition', `"${path}" has a second name`);
		return file;
	} catch (error) {
		await file.close();
		throw error;
	}
}

/** The folder of the file, for itself; missing ones below `root` are made where `mode` is given. The caller closes it. */
export async function openOwnFolder(path: string, root: string, mode?: number): Promise<FileHandle> {
	await using above = await openFolder(root);
	// Awaited: the folder above is closed at the return.
	return await openBeneath(above, relative(root, dirname(path)), mode);
}
