/** Volumes mounted within others: which places they need, and how those are made. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { c } from '../../test/fakes/playing.ts';
import { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { volumeFolder } from '../pod/folders.ts';
import { makeNestedMounts, nestedMounts } from './nested-mounts.ts';
import { setUpVolumes } from './volumes.ts';

const NEVER = new AbortController().signal;

for (const [name, mounts, want] of [
	['none', [['v', '/etc/v']], []],
	[
		'beside it',
		[
			['v', '/etc/v'],
			['o', '/etc/v2'],
		],
		[],
	],
	[
		'within',
		[
			['v', '/etc/v'],
			['o', '/etc/v/a/b'],
		],
		['a/b'],
	],
	[
		'in one another',
		[
			['v', '/etc/v/'],
			['o', '/etc/v/a/b'],
			['p', '/etc/v/a'],
			['q', '/etc/v/a-b'],
		],
		['a', 'a-b'],
	],
	[
		'of dots',
		[
			['v', '/etc/v'],
			['o', '/etc/v/../w/a'],
		],
		[],
	],
	[
		'wherever it is mounted',
		[
			['v', '/a'],
			['v', '/b'],
			['o', '/a/x'],
			['o', '/b/y'],
		],
		['x', 'y'],
	],
] as const)
	test(`mounts within a volume: ${name}`, (t) => {
		const volumeMounts = mounts.map(([volume, mountPath]) => ({ name: volume, mountPath }));
		t.deepEqual([...nestedMounts({ metadata: {}, spec: { containers: [c({ volumeMounts })] } }, 'v')].toSorted(), [...want]);
	});

test('mounts within a volume: one that was written when nobody had thought of them is used on', async (t) => {
	await using node = await SimulatedNode.start();
	const volumes = [
		{ name: 'v', downwardAPI: { items: [{ path: 'k', fieldRef: { fieldPath: 'metadata.name' } }] } },
		{ name: 'o', emptyDir: {} },
	];
	const [v, o] = [
		{ name: 'v', mountPath: '/v' },
		{ name: 'o', mountPath: '/v/k' },
	];
	for (const volumeMounts of [[v], [v, o]])
		await setUpVolumes(
			{ metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [c({ volumeMounts })], volumes } },
			node.context,
			NEVER,
		);
	t.is(await readFile(join(volumeFolder(node.rootDir, 'u', 'downward-api', 'v'), 'k'), 'utf8'), 'p');
});

test('mounts within a volume: no place is made through a link', async (t) => {
	const place = await mkdtemp(join(tmpdir(), 'kubeling-within-'));
	t.teardown(() => rm(place, { recursive: true, force: true }));
	const volume = join(place, 'volume');
	await mkdir(join(place, 'outside'));
	await makeNestedMounts(volume, ['a/b', 'c']);
	await symlink('../outside', join(volume, 'd'));
	await makeNestedMounts(volume, ['d/e', 'a/b', 'f']);
	t.deepEqual([(await readdir(volume)).toSorted(), await readdir(join(volume, 'a'))], [['a', 'c', 'd', 'f'], ['b']]);
	t.is((await stat(join(volume, 'a/b'))).mode & 0o7777, 0o755);
	t.deepEqual(await readdir(join(place, 'outside')), []);
});
