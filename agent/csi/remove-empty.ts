/** Removal of what must be empty: a mount point that is one still, or a folder with somebody's data in it, stays and is told of. */
import { lstat, rm, rmdir } from 'node:fs/promises';

export async function removeEmpty(path: string): Promise<void> {
	const found = await lstat(path).catch(() => undefined);
	if (found === undefined) return;
	if (found.isDirectory()) await rmdir(path);
	else await rm(path, { force: true });
}
