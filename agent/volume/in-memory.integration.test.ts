/** Where files of Secrets, tokens and fields lie. Needs root, for mounts. */
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Volume } from '../../api/gen/types.ts';
import { noLog } from '../../base/log.ts';
import { MountHelper } from '../../host/mount-helper.ts';
import { readMounts, unmount } from '../../host/mounts.ts';
import { tmpfsStaysInMemory } from '../../host/tmpfs.ts';
import { pod } from '../../test/fakes/pods.ts';
import { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { podFolder, volumeFolder } from '../pod/folders.ts';
import { setUpVolumes, tearDownVolumes } from './volumes.ts';

const withRoot = process.getuid?.() === 0 ? test : test.skip;
const NEVER = new AbortController().signal;
const DATA = { k: Buffer.from('hidden').toString('base64') };
const VOLUMES: Volume[] = [
	{ name: 's', secret: { secretName: 's' } },
	{ name: 't', projected: { sources: [{ secret: { name: 's' } }] } },
	{ name: 'd', downwardAPI: { items: [{ path: 'k', fieldRef: { fieldPath: 'metadata.name' } }] } },
	{ name: 'c', configMap: { name: 'm' } },
];

withRoot('what shows Secrets, tokens and fields is a tmpfs each, also after a restart and a reboot, and none stays', async (t) => {
	await using node = await SimulatedNode.start();
	node.transport.api.create('/api/v1/secrets', { metadata: { name: 's' }, data: DATA } as never, 'n');
	node.transport.api.create('/api/v1/configmaps', { metadata: { name: 'm' }, data: { k: 'open' } } as never, 'n');
	const mounter = await MountHelper.start(join(node.rootDir, 'bin'), noLog);
	const context = { ...node.context, mounter };
	const user = pod({ volumes: VOLUMES }, { namespace: 'n', uid: 'u' });
	const mounts = async () => (await readMounts()).filter(({ path }) => path.startsWith(`${node.rootDir}/`));
	const at = (plugin: string, name: string): string => volumeFolder(node.rootDir, 'u', plugin, name);
	const inMemory = [at('secret', 's'), at('projected', 't'), at('downward-api', 'd')];
	try {
		for (const _life of [1, 2]) {
			await setUpVolumes(user, context, NEVER);
			t.deepEqual((await mounts()).map(({ path, type }) => `${type} ${path}`).toSorted(), inMemory.map((p) => `tmpfs ${p}`).toSorted());
			t.is(await readFile(join(inMemory[0] ?? '', 'k'), 'utf8'), 'hidden');
			t.is(await readFile(join(inMemory[1] ?? '', 'k'), 'utf8'), 'hidden');
			t.is(await readFile(join(at('configmap', 'c'), 'k'), 'utf8'), 'open');
		}
		const { blocks, bsize } = await statfs(inMemory[0] ?? '');
		t.is(blocks * bsize, 4 * 2 ** 30, 'as large as what the node gives');
		if (await tmpfsStaysInMemory()) t.true((await mounts()).every(({ superOptions }) => superOptions.includes('noswap')));
		for (const { path } of await mounts()) await unmount(path);
		await t.throwsAsync(readFile(join(inMemory[0] ?? '', 'k')), { code: 'ENOENT' }, 'nothing was on the disk');
		await setUpVolumes(user, context, NEVER);
		t.is((await mounts()).length, 3);
		await tearDownVolumes('u', context);
		await tearDownVolumes('u', context);
		t.deepEqual(await mounts(), []);
		await t.throwsAsync(statfs(podFolder(node.rootDir, 'u')), { code: 'ENOENT' });
	} finally {
		for (const { path } of await mounts()) await unmount(path);
		await mounter.stop();
	}
});

withRoot('what containers have from the disk already stays there; a mount without files is used', async (t) => {
	await using node = await SimulatedNode.start();
	node.transport.api.create('/api/v1/secrets', { metadata: { name: 's' }, data: DATA } as never, 'n');
	const mounter = await MountHelper.start(join(node.rootDir, 'bin'), noLog);
	const mounts = async () => (await readMounts()).filter(({ path }) => path.startsWith(`${node.rootDir}/`));
	try {
		const user = pod({ volumes: VOLUMES.slice(0, 1) }, { namespace: 'n', uid: 'u' });
		await setUpVolumes(user, node.context, NEVER);
		await setUpVolumes(user, { ...node.context, mounter }, NEVER);
		t.deepEqual(await mounts(), []);
		const [died, folder] = [
			pod({ volumes: VOLUMES.slice(0, 1) }, { namespace: 'n', uid: 'died' }),
			volumeFolder(node.rootDir, 'died', 'secret', 's'),
		];
		await mkdir(folder, { recursive: true });
		await mounter.tmpfs(folder, []);
		await writeFile(join(folder, 'before'), '');
		await setUpVolumes(died, { ...node.context, mounter }, NEVER);
		t.is((await mounts()).length, 1);
		t.is(await readFile(join(folder, 'k'), 'utf8'), 'hidden');
		await rm(join(folder, 'before'));
	} finally {
		for (const { path } of await mounts()) await unmount(path);
		await mounter.stop();
	}
});
