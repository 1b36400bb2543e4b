/** A PersistentVolume that is a folder of the node, shared by pods. Needs root, for mounts. */
import { chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { PersistentVolume } from '../../api/gen/types.ts';
import { bindMount, mountAt, readMounts, unmount } from '../../host/mounts.ts';
import { pod } from '../../test/fakes/pods.ts';
import { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { volumeFolder, volumeReadyFile } from '../pod/folders.ts';
import { setUpClaimed } from './persistent.ts';
import type { VolumePath } from './volume-path.ts';

const withRoot = process.getuid?.() === 0 ? test : test.skip;

withRoot('the first pod of a local volume decides whose group it has; the next is told', async (t) => {
	await using node = await SimulatedNode.start();
	const disk = await mkdtemp(join(tmpdir(), 'kubeling-local-'));
	t.teardown(() => rm(disk, { recursive: true, force: true }));
	await mkdir(join(disk, 'folder'));
	await writeFile(join(disk, 'folder', 'file'), 'here');
	const volume: PersistentVolume = { metadata: { name: 'pv' }, spec: { local: { path: disk } } };
	const claim = { metadata: { name: 'claim' } };
	const { signal } = new AbortController();
	const gids = (): Promise<readonly number[]> =>
		Promise.all(['', 'folder', 'folder/file'].map(async (name) => (await stat(join(disk, name))).gid));
	const given: string[] = [];
	for (const [name, fsGroup] of [
		['one', 1001],
		['two', 1002],
		['two', 1002],
	] as const) {
		const user = pod({ securityContext: { fsGroup } }, { name, uid: name });
		const path = await setUpClaimed(user, { name: 'v' }, { claim, volume }, node.context, signal);
		if (path.kind === 'folder') given.push(path.path);
	}
	try {
		t.is(await readFile(join(given[1] ?? '', 'folder/file'), 'utf8'), 'here');
		t.deepEqual(await gids(), [1001, 1001, 1001]);
		await node.advance(1000);
		const told = 'AlreadyMountedVolume: The requested fsGroup is 1002, but the volume pv has GID 1001. The volume may not be shareable.';
		t.deepEqual([node.events('one'), node.events('two')], [[], [told]]);
	} finally {
		for (const path of new Set(given)) await unmount(path);
	}
});

withRoot('a local volume has those of its mount options that a bind mount can have, also where the agent died before them', async (t) => {
	await using node = await SimulatedNode.start();
	const disk = await mkdtemp(join(tmpdir(), 'kubeling-local-'));
	t.teardown(() => rm(disk, { recursive: true, force: true }));
	const made: string[] = [];
	const spec = { local: { path: disk }, mountOptions: ['noexec', 'nosuid', 'discard'] };
	const bring = async (name: string, readOnly: boolean): Promise<readonly string[]> => {
		const volume: PersistentVolume = { metadata: { name }, spec };
		const reference = { name: 'v', persistentVolumeClaim: { claimName: 'claim', readOnly } };
		const user = pod({ securityContext: { fsGroup: 1001 } });
		const { signal } = new AbortController();
		const given = await setUpClaimed(user, reference, { claim: { metadata: { name: 'claim' } }, volume }, node.context, signal);
		const path = given.kind === 'folder' ? given.path : '';
		made.push(path);
		return mountAt(await readMounts(), path)?.options ?? [];
	};
	const has = (options: readonly string[]): readonly string[] =>
		['ro', 'rw', 'noexec', 'nosuid', 'discard'].filter((o) => options.includes(o));
	try {
		t.deepEqual(has(await bring('pv', false)), ['rw', 'noexec', 'nosuid']);
		t.deepEqual(has(await bring('read', true)), ['ro', 'noexec', 'nosuid']);
		const left = volumeFolder(node.rootDir, 'u', 'local-volume', 'left');
		await mkdir(left, { recursive: true });
		await bindMount(disk, left);
		made.push(left);
		t.deepEqual(has(await bring('left', true)), ['ro', 'noexec', 'nosuid']);
	} finally {
		for (const path of new Set(made)) await unmount(path);
	}
});

withRoot('a local volume that could not be given to its group wholly is given to it at the next try', async (t) => {
	await using node = await SimulatedNode.start();
	const disk = await mkdtemp(join(tmpdir(), 'kubeling-local-'));
	t.teardown(() => rm(disk, { recursive: true, force: true }));
	await writeFile(join(disk, 'file'), 'here');
	const volume: PersistentVolume = { metadata: { name: 'pv' }, spec: { local: { path: disk } } };
	const user = pod({ securityContext: { fsGroup: 1001 } });
	const bring = (signal: AbortSignal): Promise<VolumePath> =>
		setUpClaimed(user, { name: 'v' }, { claim: { metadata: { name: 'claim' } }, volume }, node.context, signal);
	const gids = (): Promise<readonly number[]> => Promise.all(['', 'file'].map(async (name) => (await stat(join(disk, name))).gid));
	await t.throwsAsync(bring(AbortSignal.abort(new Error('another volume failed'))), { message: /another volume failed/ });
	const path = await bring(new AbortController().signal);
	try {
		t.deepEqual(await gids(), [1001, 1001]);
		// An agent that died meanwhile leaves the mount, and nothing that says that all is done.
		await rm(volumeReadyFile(node.rootDir, 'u', 'local-volume', 'pv'));
		await chown(join(disk, 'file'), 0, 0);
		await bring(new AbortController().signal);
		t.deepEqual(await gids(), [1001, 1001]);
		await chown(join(disk, 'file'), 0, 0);
		await bring(new AbortController().signal);
		t.deepEqual(await gids(), [1001, 0]);
	} finally {
		if (path.kind === 'folder') await unmount(path.path);
	}
});

withRoot('of two pods that start with a local volume at the same time one decides whose group it has', async (t) => {
	await using node = await SimulatedNode.start();
	const disk = await mkdtemp(join(tmpdir(), 'kubeling-local-'));
	t.teardown(() => rm(disk, { recursive: true, force: true }));
	const volume: PersistentVolume = { metadata: { name: 'pv' }, spec: { local: { path: disk } } };
	const { signal } = new AbortController();
	const paths = await Promise.all(
		['one', 'two'].map((name) =>
			setUpClaimed(
				pod({ securityContext: { fsGroup: 1001 } }, { name, uid: name }),
				{ name: 'v' },
				{ claim: { metadata: { name: 'claim' } }, volume },
				node.context,
				signal,
			),
		),
	);
	try {
		t.is((await stat(disk)).gid, 1001);
	} finally {
		for (const path of paths) if (path.kind === 'folder') await unmount(path.path);
	}
});
