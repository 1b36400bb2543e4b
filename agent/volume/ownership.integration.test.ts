/** A volume's group against a container of another pod that swaps names in it meanwhile. Needs root. */
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { raceMs, racesOf, swapping } from '../../test/tools/swapped-names.ts';
import { setOwnership } from './ownership.ts';

(process.getuid?.() === 0 ? test : test.skip)('the group of a volume goes to nothing outside of it while names are swapped', async (t) => {
	t.timeout(raceMs(1000));
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-ownership-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const [volume, secret, key] = ['volume', 'secret', 'secret/key'].map((name) => join(dir, name)) as [string, string, string];
	await mkdir(join(volume, 'folder'), { recursive: true });
	await mkdir(secret);
	await writeFile(key, 'host', { mode: 0o600 });
	await writeFile(join(volume, 'file'), '');
	await writeFile(join(volume, 'folder/key'), '');
	await symlink(secret, join(volume, 'to-folder'));
	await symlink(key, join(volume, 'to-file'));
	const { signal } = new AbortController();
	let changed = 0;
	const look = async (): Promise<unknown> => Promise.all([secret, key].map(async (path) => (await stat(path, { bigint: true })).ctimeNs));
	const before = await look();
	{
		await using _ = await swapping(volume, ['folder', 'to-folder', 'file', 'to-file']);
		for (let i = 0; i < racesOf(1000) || changed === 0; i++) {
			const ownership = { path: volume, group: 1000 + (i % 2), readOnly: false, onMismatch: false, clock: realClock, tell: () => {} };
			changed += await setOwnership(ownership, signal).then(
				() => 1,
				() => 0,
			);
		}
	}
	t.deepEqual(await look(), before);
	t.true([1000, 1001].includes((await stat(volume)).gid));
});
