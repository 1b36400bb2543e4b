/** Files of a volume for one group (VOLUME_MOUNT_GROUP): as the kubelet does it for fsGroup, and only where the root shows that it was not done yet. */
import { chmod, lchown, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

const GROUP_READ_WRITE = 0o060;
/** Folders: entered by the group, and what is made in them belongs to it. */
const GROUP_FOLDER = 0o2070;

export async function giveToGroup(root: string, group: number): Promise<void> {
	const { gid, mode } = await lstat(root);
	if (gid === group && (mode & GROUP_FOLDER) === GROUP_FOLDER) return;
	await giveBelow(root, group);
	await give(root, group, true); // last: it says that all is done
}

async function giveBelow(dir: string, group: number): Promise<void> {
	for await (const entry of await opendir(dir)) {
		const path = join(dir, entry.name);
		if (entry.isDirectory()) await giveBelow(path, group);
		if (entry.isSymbolicLink()) await lchown(path, (await lstat(path)).uid, group);
		else await give(path, group, entry.isDirectory());
	}
}

async function give(path: string, group: number, folder: boolean): Promise<void> {
	const { uid, mode } = await lstat(path);
	await lchown(path, uid, group);
	await chmod(path, (mode & 0o7777) | (folder ? GROUP_FOLDER : GROUP_READ_WRITE));
}
