/**
 * Where a container's log may be: below the pod's log folder, by no link. The folder lies on the host, and a pod that mounts it (log collectors
 * do) can put links there; the shim writes as root.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { openIn } from '../../base/files.ts';
import { openOwn } from '../../host/own-file.ts';

/** Pure: the absolute path, or '' where no log is kept. Throws InvalidArgument for a path that leads out of the folder. */
export function logPathOf(folder: string, path: string): string {
	if (folder === '' || path === '') return '';
	const normal = normalize(path);
	if (normal.startsWith('/') || normal === '..' || normal.startsWith('../') || normal.endsWith('/') || path.includes('\0'))
		throw new AppError('InvalidArgument', `The log path "${path}" leads out of the pod's log folder`);
	return join(folder, normal);
}

/** Opens the file for appending, and makes it. Throws where the file or a folder below `root` is a link. */
export async function openLog(path: string, root: string): Promise<FileHandle> {
	return openIn(root, () => openOwn(path, root, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o640));
}

/** The same for reading; undefined where there is none. */
export async function openLogEnd(path: string, root: string): Promise<FileHandle | undefined> {
	try {
		return await openOwn(path, root, constants.O_RDWR);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
