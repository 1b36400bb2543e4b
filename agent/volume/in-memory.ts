/** Volumes that show Secrets, tokens and a pod's own fields: in memory, never on the node's disk. */
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import { isMounted } from '../../host/mounted.ts';
import type { Mounter } from '../../host/mounter.ts';
import { DATA } from './atomic-writer.ts';
import { fileSystemOf, type EmptyDirBounds } from './empty-dir.ts';

/**
 * Idempotent: a tmpfs at the folder, as large as an emptyDir in memory of that pod may be, as upstream's is. What shows files already stays where containers
 * have it, also on the disk, where an agent before this one or without the right to mount has put it.
 */
export async function keepInMemory(folder: string, pod: Pod, bounds: EmptyDirBounds, mounter: Mounter): Promise<void> {
	if ((await isShown(folder)) || (await isMounted(folder))) return;
	await mkdir(folder, { recursive: true });
	await mounter.tmpfs(folder, fileSystemOf(pod, { medium: 'Memory' }, bounds)?.options ?? []);
}

function isShown(folder: string): Promise<boolean> {
	return lstat(join(folder, DATA)).then(
		() => true,
		() => false,
	);
}
