/** What a driver left behind in its place: mounts, loop devices, folders in the pool. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loopDevices } from '../../../host/loop.ts';
import { readMounts } from '../../../host/mounts.ts';

/** One line each. The pool's own mount is none. */
export async function leaksBelow({ dir, pool }: { readonly dir: string; readonly pool: string }): Promise<readonly string[]> {
	const [mounts, loops] = await Promise.all([readMounts(), loopDevices()]);
	const folders = await Promise.all(
		['volumes', 'snapshots', 'groups', 'inline/node'].map(async (kind) =>
			(await readdir(join(pool, kind)).catch(() => [])).map((name) => `folder ${kind}/${name}`),
		),
	);
	return [
		...mounts.filter((m) => m.path.startsWith(`${dir}/`) && m.path !== pool).map((m) => `mount ${m.path}`),
		...loops.filter((l) => l.backingFile.startsWith(`${pool}/`)).map((l) => `loop device ${l.path} of ${l.backingFile}`),
		...folders.flat(),
	];
}
