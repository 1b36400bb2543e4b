/**
 * Files below a folder that others change meanwhile, reached name by name from an open folder: no link is followed and nothing leads out. Each step
 * opens `/proc/self/fd/N/NAME`, which is openat(2), without following the last part.
 */
import { constants } from 'node:fs';
import { chmod, mkdir, open, type FileHandle } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';

/** Of open(2), which Node does not name: a descriptor that only stands for the place. */
const O_PATH = 0o10000000;

/** The place of an open file: paths below it begin here, whatever is renamed meanwhile. */
export function placeOf(handle: FileHandle): string {
	return `/proc/self/fd/${handle.fd}`;
}

/** The same for a child process. */
export function placeFor(handle: FileHandle): string {
	return `/proc/${process.pid}/fd/${handle.fd}`;
}

/** Opens a folder for itself, whatever way leads to it. */
export function openFolder(path: string): Promise<FileHandle> {
	return open(path, O_PATH | constants.O_DIRECTORY);
}

/** Opens what the path names for itself: a link too, and without touching a device. */
export function openItself(path: string): Promise<FileHandle> {
	return open(path, O_PATH | constants.O_NOFOLLOW);
}

/** What has this name in the folder; throws for a link. */
export async function openEntry(folder: FileHandle, name: string): Promise<FileHandle> {
	if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
		throw new AppError('InvalidArgument', `"${name}" is no name of a file`);
	const handle = await openItself(`${placeOf(folder)}/${name}`);
	if ((await handle.stat()).isSymbolicLink()) {
		await handle.close();
		throw new AppError('PermissionDenied', `"${name}" is a symbolic link`);
	}
	return handle;
}

/** The file or folder at a relative path; missing folders are made where `mode` is given, with just that. The caller closes it. */
export async function openBeneath(folder: FileHandle, path: string, mode?: number): Promise<FileHandle> {
	const parts = path.split('/').filter((part) => part !== '' && part !== '.');
	let at = await openFolder(placeOf(folder));
	for (const part of parts) {
		const parent = at;
		try {
			at = await openEntry(parent, part).catch(async (error: NodeJS.ErrnoException) => {
				if (error.code !== 'ENOENT' || mode === undefined) throw error;
				return makeEntry(parent, part, mode);
			});
		} finally {
			await parent.close();
		}
	}
	return at;
}

async function makeEntry(parent: FileHandle, name: string, mode: number): Promise<FileHandle> {
	const made = await mkdir(`${placeOf(parent)}/${name}`, { mode }).then(
		() => true,
		(error: NodeJS.ErrnoException) => {
			if (error.code === 'EEXIST') return false;
			throw error;
		},
	);
	const entry = await openEntry(parent, name);
	try {
		// mkdir's mode passes the umask, and has no set-id bits. What somebody put in its place is left as it is.
		if (made && (await entry.stat()).isDirectory()) await chmod(placeOf(entry), mode);
		return entry;
	} catch (error) {
		await entry.close();
		throw error;
	}
}
