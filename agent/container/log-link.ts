/** The links that log shippers follow: one folder for the node, `<pod>_<namespace>_<container>-<id>.log`, each to the container's log. */
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';

/** What a file name may have; upstream's ext4MaxFileNameLen. */
const MAX_NAME = 255;
const SUFFIX = '.log';

/** Pure. Upstream counts bytes, and all that these names are made of is ASCII. */
export function logLinkName(pod: Pod, container: string, id: string): string {
	const { name = '', namespace = '' } = pod.metadata;
	return `${`${name}_${namespace}_${container}-${id}`.slice(0, MAX_NAME - SUFFIX.length)}${SUFFIX}`;
}

/** There already is success. */
export async function linkLog(folder: string, name: string, target: string): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o755 });
	await symlink(target, join(folder, name)).catch((error: unknown) => {
		if ((error as { readonly code?: string }).code !== 'EEXIST') throw error;
	});
}

/** Takes away links whose log is gone. */
export async function removeDeadLinks(folder: string): Promise<void> {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) {
		if (!entry.isSymbolicLink()) continue;
		const path = join(folder, entry.name);
		const there = await stat(path).then(
			() => true,
			(error: unknown) => (error as { readonly code?: string }).code !== 'ENOENT',
		);
		if (!there) await rm(path, { force: true });
	}
}
