/** What a driver left behind in its place: mounts, loop devices, folders in the pool. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopDevices } from '../../../host/loop.ts';
import { readMounts } from '../../../host/mounts.ts';

interface Where {
	readonly dir: string;
	readonly pool: string;
}

/** The kernel frees a device once its last user is gone, and whoever looks at new devices on this host is one. */
const FREED_MS = 30_000;

/** One line each; looked for again while there are any. The pool's own mount is none. */
export async function leaksBelow(where: Where): Promise<readonly string[]> {
	for (let waitedMs = 0; ; waitedMs += 200) {
		const found = await leaksNow(where);
		if (!found.some((leak) => leak.startsWith('loop')) || waitedMs >= FREED_MS) return found;
		await sleep(200);
	}
}

async function leaksNow({ dir, pool }: Where): Promise<readonly string[]> {
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
