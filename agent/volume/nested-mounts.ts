/** Where other volumes are mounted within one that nobody but the agent writes: the folders that they need there. */
import { mkdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import { ignore } from '../../base/errors.ts';
import { openBeneath, openFolder } from '../../host/beneath.ts';

/** Pure. Paths below the volume's folder; of mounts in one another the outermost. As upstream's MakeNestedMountpoints has them. */
export function nestedMounts({ spec }: Pod, volume: string): readonly string[] {
	const found = new Set<string>();
	const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
	for (const { volumeMounts = [] } of all) {
		const paths = volumeMounts.map((m) => pathOf(m.mountPath));
		for (const [i, { name }] of volumeMounts.entries()) {
			if (name !== volume) continue;
			const within = paths.filter((path) => path.startsWith(`${paths[i] ?? ''}/`));
			for (const path of within)
				if (!within.some((above) => path.startsWith(`${above}/`))) found.add(path.slice((paths[i] ?? '').length + 1));
		}
	}
	return [...found];
}

/**
 * What is there already will do. A link is a key's, in a volume that is older than this rule or than a container added later; others are there only
 * where a container could write, and lead the agent nowhere.
 */
export async function makeNestedMounts(folder: string, paths: readonly string[]): Promise<void> {
	if (paths.length === 0) return;
	await mkdir(folder, { recursive: true });
	const root = await openFolder(folder);
	try {
		for (const path of paths) await (await openBeneath(root, path, 0o755).catch(ignore('PermissionDenied')))?.close();
	} finally {
		await root.close();
	}
}

function pathOf(mountPath: string): string {
	return posix.resolve('/', mountPath);
}
