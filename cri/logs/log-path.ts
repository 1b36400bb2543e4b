/**
 * Where a container's log may be: below the pod's log folder, by no link. The folder lies on the host, and a pod that mounts it (log collectors
 * do) can put links there; the shim writes as root.
 */
import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { AppError } from '../../base/errors.ts';

/** Pure: the absolute path, or '' where no log is kept. Throws InvalidArgument for a path that leads out of the folder. */
export function logPathOf(folder: string, path: string): string {
	if (folder === '' || path === '') return '';
	const normal = normalize(path);
	if (normal.startsWith('/') || normal === '..' || normal.startsWith('../') || normal.endsWith('/') || path.includes('\0'))
		throw new AppError('InvalidArgument', `The log path "${path}" leads out of the pod's log folder`);
	return join(folder, normal);
}

/** Opens the file for appending, and makes it. Throws FailedPrecondition where the file or a folder below `root` is a link. */
export async function openLog(path: string, root: string): Promise<FileHandle> {
	await mkdir(dirname(path), { recursive: true });
	const file = await open(
		path,
		constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
		0o640,
	);
	return checked(file, path, root);
}

/** The same for reading; undefined where there is none. */
export async function openLogEnd(path: string, root: string): Promise<FileHandle | undefined> {
	try {
		const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		return await checked(file, path, root);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/** What was opened is looked at, not what may have taken its place since. */
async function checked(file: FileHandle, path: string, root: string): Promise<FileHandle> {
	try {
		const [actual, stat, base] = await Promise.all([readlink(`/proc/self/fd/${file.fd}`), file.stat(), realpath(root)]);
		if (!stat.isFile() || actual !== join(base, path.slice(root.length)))
			throw new AppError('FailedPrecondition', `The log "${path}" is no file of its own below "${root}": it is "${actual}"`);
		if (stat.nlink > 1) throw new AppError('FailedPrecondition', `The log "${path}" has a second name`);
		return file;
	} catch (error) {
		await file.close();
		throw error;
	}
}
