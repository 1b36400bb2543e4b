/** Where other volumes are mounted within one that nobody but the agent writes: the folders that they need there. Pure. */
import { posix } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';

/** Paths below the volume's folder; of mounts in one another the outermost. As upstream's MakeNestedMountpoints has them. */
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

function pathOf(mountPath: string): string {
	return posix.resolve('/', mountPath);
}
