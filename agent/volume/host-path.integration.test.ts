/** hostPath against a container that swaps names in a folder of the node while the agent checks, makes and opens them. Needs root, for mounts. */
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { mount, readMounts, unmount } from '../../host/mounts.ts';
import { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { raceMs, racesOf, swapping, unlessStuck } from '../../test/tools/swapped-names.ts';
import { mountsOf } from '../container/mounts.ts';
import { setUpHostPath } from './host-path.ts';
import { setUpVolumes, tearDownVolumes } from './volumes.ts';

const withRoot = process.getuid?.() === 0 ? test.serial : test.serial.skip;

interface Place extends AsyncDisposable {
	readonly dir: string;
	/** What the container may write to. */
	readonly shared: string;
	/** What it may not even see: a file, and a folder with a file. */
	readonly victims: readonly [file: string, folder: string];
	/** Who owns them, what they say, and when that last changed. */
	look(): Promise<unknown>;
}

async function place(): Promise<Place> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-host-path-'));
	await mount('tmpfs', dir, { type: 'tmpfs', options: ['size=64m'] });
	const [shared, file, folder] = [join(dir, 'shared'), join(dir, 'key'), join(dir, 'secret')];
	await mkdir(shared);
	await mkdir(join(folder, 'deep'), { recursive: true });
	for (const path of [file, join(folder, 'key')]) await writeFile(path, 'host', { mode: 0o600 });
	return {
		...{ dir, shared, victims: [file, folder] },
		look: async () =>
			Promise.all(
				[file, folder, join(folder, 'deep'), join(folder, 'key')].map(async (path) => {
					const { mode, uid, gid, ino, ctimeNs } = await stat(path, { bigint: true });
					return { path, mode, uid, gid, ino, ctimeNs, has: mode & 0o40000n ? await readdir(path) : await readFile(path, 'utf8') };
				}),
			),
		async [Symbol.asyncDispose]() {
			for (const m of (await readMounts()).filter(({ path }) => path.startsWith(`${dir}/`)).toReversed()) await unmount(m.path);
			await unmount(dir);
			await rm(dir, { recursive: true });
		},
	};
}

for (const type of ['FileOrCreate', 'DirectoryOrCreate', 'File'])
	withRoot(`a hostPath while names are swapped: nothing of others is opened or changed, and no pipe is waited for: ${type}`, async (t) => {
		t.timeout(raceMs(1000));
		await using p = await place();
		const { shared, victims, look } = p;
		await writeFile(join(shared, 'file'), 'own');
		await mkdir(join(shared, 'folder'));
		await symlink(victims[0], join(shared, 'to-file'));
		await symlink(victims[1], join(shared, 'to-folder'));
		await symlink('none/at/all', join(shared, 'nowhere'));
		await symlink('itself', join(shared, 'itself'));
		execFileSync('mkfifo', [join(shared, 'pipe')]);
		const before = await look();
		const outcomes = { done: 0, failed: 0, stuck: 0 };
		{
			await using _ = await swapping(shared, ['pipe', 'file', 'folder', 'to-file', 'pipe', 'to-folder', 'nowhere', 'itself']);
			// Whoever swaps them may stand still for a while.
			for (let i = 0; (i < racesOf(1000) || outcomes.done === 0 || outcomes.failed === 0) && outcomes.stuck === 0; i++)
				outcomes[(await unlessStuck(setUpHostPath({ path: join(shared, 'name'), type }))) ?? 'done']++;
		}
		// Who waits for it is let go, so that the test can end.
		for (const name of ['pipe', 'name'])
			if (outcomes.stuck > 0) await (await open(join(shared, name), constants.O_RDONLY | constants.O_NONBLOCK).catch(() => {}))?.close();
		t.log(outcomes);
		t.is(outcomes.stuck, 0);
		t.deepEqual(await look(), before);
	});

withRoot(
	'a subPath of a hostPath does not leave it while names are swapped, and the volume comes and goes without a change to it',
	async (t) => {
		t.timeout(raceMs(600));
		await using p = await place();
		const { shared, victims, look } = p;
		await using node = await SimulatedNode.start({ images: ['i:latest'] });
		await mkdir(join(shared, 'folder/deep'), { recursive: true });
		await symlink(victims[1], join(shared, 'link'));
		const container = {
			...{ name: 'c', image: 'i' },
			volumeMounts: [
				{ name: 'h', mountPath: '/all' },
				{ name: 'h', mountPath: '/part', subPath: 'name/deep' },
				{ name: 'e', mountPath: '/all/inner' },
			],
		};
		const volumes = [
			{ name: 'h', hostPath: { path: shared, type: 'DirectoryOrCreate' } },
			{ name: 'e', emptyDir: {} },
		];
		const pod: Pod = {
			metadata: { name: 'p', namespace: 'n', uid: 'u' },
			spec: { securityContext: { fsGroup: 1234 }, containers: [container], volumes },
		};
		const { signal } = new AbortController();
		const mounted = async (): Promise<number> => {
			const paths = await setUpVolumes(pod, node.context, signal);
			const mounts = await mountsOf(pod, container, 0, paths, new Map(), false, node.context);
			return (await stat(mounts.find(({ containerPath }) => containerPath === '/part')?.hostPath ?? '')).ino;
		};
		const [before, group] = [await look(), (await stat(shared)).gid];
		const { ino } = await stat(join(victims[1], 'deep'));
		let [escaped, found] = [0, 0];
		{
			await using _ = await swapping(shared, ['folder', 'link']);
			// A tenth: each is a pod's whole way.
			for (let i = 0; i < racesOf(600) / 10 || found === 0; i++) {
				const there = await mounted().catch(() => undefined);
				if (there !== undefined) found++;
				if (there === ino) escaped++;
				await tearDownVolumes('u', node.context);
			}
		}
		t.log({ found, escaped });
		t.is(escaped, 0);
		t.deepEqual(await look(), before);
		t.is((await stat(shared)).gid, group, 'a group is for volumes of the pod');
		t.false((await readdir(shared)).includes('inner'), 'places for other volumes are the runtime’s to make');
	},
);
