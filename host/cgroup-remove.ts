/** Removing a cgroup with all below it, from every hierarchy that has it. */
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** `path` as engines name it ("/kubeling-a"). Returns the folders that still hold processes; none is there: nothing to do. */
export async function removeCgroup(path: string, root: string = ROOT): Promise<readonly string[]> {
	const hierarchies = (await folders(root)).map((name) => join(root, name, path));
	const busy = await Promise.all([join(root, path), ...hierarchies].map(removeTree));
	return busy.flat();
}

/** Deepest first: a group goes only when it has no groups in it. Its files are the kernel's and go with it. */
async function removeTree(folder: string): Promise<readonly string[]> {
	const busy: string[] = [];
	for (const child of await folders(folder)) busy.push(...(await removeTree(join(folder, child))));
	try {
		await rmdir(folder);
	} catch (error) {
		if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) busy.push(folder);
	}
	return busy;
}

async function folders(path: string): Promise<readonly string[]> {
	const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
	return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
