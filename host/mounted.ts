/**
 * What is mounted at one path, told by descriptors: making the text of the whole mount table takes the kernel milliseconds on a host with many pods. For
 * file systems of this host: one of a server that is gone keeps whoever looks at it waiting.
 */
import { fstatSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, ignoreErrno } from '../base/errors.ts';
import { openFolder, openItself, placeOf } from './beneath.ts';
import { readSmall } from './small-file.ts';

export interface MountedRoot {
	/** major:minor of its file system. */
	readonly device: string;
	/** Of the folder or file that forms the root of the mount. */
	readonly inode: number;
}

/** Undefined where nothing is mounted at exactly this path, which must be a real one. */
export async function mountedAt(path: string): Promise<MountedRoot | undefined> {
	await using held = await openMounted(path);
	if (held === undefined) return undefined;
	const { dev, ino } = fstatSync(held.fd);
	return { device: deviceNumber(dev), inode: ino };
}

/** Whether something is mounted at exactly this path, which must be a real one. A file system that has failed is not asked anything. */
export async function isMounted(path: string): Promise<boolean> {
	await using held = await openMounted(path);
	return held !== undefined;
}

async function openMounted(path: string): Promise<FileHandle | undefined> {
	const held = await openItself(path).catch(ignoreErrno('ENOENT', 'ENOTDIR'));
	if (held === undefined) return undefined;
	try {
		if (readlinkSync(placeOf(held)) === path) {
			await using above = await openFolder(dirname(path));
			if (mountId(held) !== mountId(above)) return held;
		}
	} catch (error) {
		await held.close();
		throw error;
	}
	await held.close();
	return undefined;
}

/** A device's number as the mount table and /sys write it. */
export function deviceNumber(dev: number): string {
	const bits = BigInt(dev);
	const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n);
	const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffffff00n);
	return `${major}:${minor}`;
}

function mountId({ fd }: FileHandle): string {
	const id = /^mnt_id:\s*(\d+)$/m.exec(readSmall(`/proc/self/fdinfo/${fd}`) ?? '')?.[1];
	if (id === undefined) throw new AppError('Internal', 'The kernel does not say which mount a descriptor is of');
	return id;
}
