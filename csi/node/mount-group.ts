/**
 * Files of a volume for one group (VOLUME_MOUNT_GROUP): as the kubelet does it for fsGroup, and only where the root shows that it was not done yet. A
 * repeated stage may find the volume in use: no link is followed, whoever puts one there meanwhile.
 */
import type { Stats } from 'node:fs';
import { chmod, chown, readdir, type FileHandle } from 'node:fs/promises';
import { AppError, ignoreErrno } from '../../base/errors.ts';
import { openFolder, openItself, placeOf } from '../../host/beneath.ts';

const GROUP_READ_WRITE = 0o060;
/** Folders: entered by the group, and what is made in them belongs to it. */
const GROUP_FOLDER = 0o2070;
/** Each folder on the way down is held open. */
const DEEPEST = 256;
/** Whoever uses the volume may remove files meanwhile. */
const GONE = ignoreErrno('ENOENT');

export async function giveToGroup(path: string, group: number): Promise<void> {
	await using root = await openFolder(path);
	const found = await root.stat();
	if (found.gid === group && (found.mode & GROUP_FOLDER) === GROUP_FOLDER) return;
	await giveBelow(root, group);
	await give(root, found, group); // last: it says that all is done
}

async function giveBelow(folder: FileHandle, group: number, depth = 0): Promise<void> {
	if (depth === DEEPEST) throw new AppError('FailedPrecondition', `Folders more than ${DEEPEST} deep cannot be given to a group`);
	for (const name of (await readdir(placeOf(folder)).catch(GONE)) ?? []) {
		await using entry = await openItself(`${placeOf(folder)}/${name}`).catch(GONE);
		if (entry === undefined) continue;
		const found = await entry.stat();
		if (found.isDirectory()) await giveBelow(entry, group, depth + 1);
		await give(entry, found, group);
	}
}

async function give(entry: FileHandle, found: Stats, group: number): Promise<void> {
	await chown(placeOf(entry), found.uid, group);
	if (found.isSymbolicLink()) return; // it has no mode of its own
	await chmod(placeOf(entry), (found.mode & 0o7777) | (found.isDirectory() ? GROUP_FOLDER : GROUP_READ_WRITE));
}
