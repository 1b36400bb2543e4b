/**
 * subPath: one file or folder of a volume, whose content is the containers' own. Links in it are resolved first, and must lead nowhere else; what they
 * lead to is then opened name by name without following a link, and the open descriptor is what is bound. So whoever swaps a name for a link
 * meanwhile gains nothing.
 */
import { mkdir, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { openBeneath, openFolder } from '../../host/beneath.ts';
import { bindDescriptor, mountAt, readMounts, unmount } from '../../host/mounts.ts';
import { removeEmpty } from '../csi/remove-empty.ts';
import { podFolder } from '../pod/folders.ts';

export interface SubPath {
	readonly rootDir: string;
	readonly podUid: string;
	readonly volume: { readonly name: string; readonly path: string };
	readonly subPath: string;
	readonly container: string;
	/** Of the mount, in the container's list. */
	readonly index: number;
}

/** Where the mount for the container is: `volume-subpaths/VOLUME/CONTAINER/INDEX` below the pod's folder. */
export async function bindSubPath({ rootDir, podUid, volume, subPath, container, index }: SubPath): Promise<string> {
	checkSubPath(subPath, volume.name);
	const target = join(podFolder(rootDir, podUid), 'volume-subpaths', volume.name, container, String(index));
	const found = await openSubPath(volume.path, subPath).catch((cause: Error) => {
		// Why would tell the pod's owner of files of the node.
		const message = `failed to prepare subPath for volumeMount "${volume.name}" of container "${container}"`;
		throw new AppError('PermissionDenied', message, { cause });
	});
	try {
		const { dev, ino } = await found.stat();
		// The one of an earlier start may show what has been replaced since.
		for (let mounted = mountAt(await readMounts(), target); mounted !== undefined; mounted = mountAt(await readMounts(), target)) {
			const there = await stat(target);
			if (there.dev === dev && there.ino === ino) return target;
			await unmount(target);
		}
		await makeTarget(target, (await found.stat()).isDirectory());
		await bindDescriptor(found.fd, target);
		return target;
	} finally {
		await found.close();
	}
}

/** What is at the path in the volume, open; made, a folder with the mode of the volume's own, if it is not there. The caller closes it. */
export async function openSubPath(volume: string, subPath: string): Promise<FileHandle> {
	const place = await realpath(volume);
	const path = await resolvedBelow(place, subPath);
	const root = await openFolder(place);
	try {
		return await openBeneath(root, path, (await root.stat()).mode & 0o7777);
	} finally {
		await root.close();
	}
}

/** Pure: throws for what must not be a path in a volume. */
function checkSubPath(subPath: string, volume: string): void {
	if (isAbsolute(subPath)) throw new AppError('InvalidArgument', `error SubPath \`${subPath}\` must not be an absolute path`);
	if (subPath.split('/').includes('..'))
		throw new AppError('InvalidArgument', `unable to provision SubPath \`${subPath}\`: must not contain '..'`);
	if (subPath.includes('\0')) throw new AppError('InvalidArgument', `subPath of volume "${volume}" must not contain NUL`);
}

/** The path below `root` that `path` leads to now; of what is not there, the names stay. */
async function resolvedBelow(root: string, path: string): Promise<string> {
	const real = await resolved(join(root, path));
	const below = relative(root, real);
	if (below === '..' || below.startsWith('../')) throw new AppError('PermissionDenied', `subPath "${path}" leads outside of the volume`);
	return below;
}

async function resolved(path: string): Promise<string> {
	try {
		return await realpath(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === '/') throw error;
		return join(await resolved(dirname(path)), basename(path));
	}
}

async function makeTarget(path: string, folder: boolean): Promise<void> {
	await mkdir(join(path, '..'), { recursive: true, mode: 0o750 });
	const there = await stat(path).catch(() => undefined);
	if (there !== undefined && there.isDirectory() !== folder) await removeEmpty(path);
	if (folder) await mkdir(path, { recursive: true, mode: 0o750 });
	else await (await open(path, 'a', 0o640)).close();
}
