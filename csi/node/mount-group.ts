/**
 * Files of a volume for one group (VOLUME_MOUNT_GROUP): as the kubelet does it for fsGroup, and only where the root shows that it was not done yet. A
 * repeated stage may find the volume in use: no link is followed, whoever puts one there meanwhile.
 */
import type { Stats } from 'node:fs';
import { chmod, chown, lchown, lstat, readdir, type FileHandle } from 'node:fs/promises';
import { openEntry, openFolder, placeOf } from '../../host/beneath.ts';

const GROUP_READ_WRITE = 0o060;
/** Folders: entered by the group, and what is made in them belongs to it. */
const GROUP_FOLDER = 0o2070;

export async function giveToGroup(path: string, group: number): Promise<void> {
	await using root = await openFolder(path);
	const found = await root.stat();
	if (found.gid === group && (found.mode & GROUP_FOLDER) === GROUP_FOLDER) return;
	await giveBelow(root, group);
	await give(root, found, group); // last: it says that all is done
}

async function giveBelow(folder: FileHandle, group: number): Promise<void> {
	for (const { name } of await readdir(placeOf(folder), { withFileTypes: true })) {
		const path = `${placeOf(folder)}/${name}`;
		const found = await lstat(path).catch(() => undefined);
		if (found === undefined) continue; // gone meanwhile
		if (found.isSymbolicLink()) {
			await lchown(path, found.uid, group);
			continue;
		}
		await using entry = await openEntry(folder, name);
		const opened = await entry.stat();
		if (opened.isDirectory()) await giveBelow(entry, group);
		await give(entry, opened, group);
	}
}

async function give(entry: FileHandle, found: Stats, group: number): Promise<void> {
	await chown(placeOf(entry), found.uid, group);
	await chmod(placeOf(entry), (found.mode & 0o7777) | (found.isDirectory() ? GROUP_FOLDER : GROUP_READ_WRITE));
}
