/** `kubeling backup`, `restore` and `check` on a cluster with pods: back to the moment of the copy, and nothing lost on the way. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { CONFIG_MAPS, PODS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { readAccess } from '../../cluster/access.ts';
import { clientOf } from '../../cluster/parts/client.ts';
import { runningContainers } from '../crash/pods.ts';
import { busyboxImage } from '../tools/images.ts';
import { testCluster, type TestCluster } from './cluster.ts';

const image = await busyboxImage();

async function within<T>(cluster: TestCluster, work: (client: Client) => Promise<T>): Promise<T> {
	const { server } = await readAccess(cluster.dataDir);
	const file = (leaf: string): string => join(cluster.dataDir, 'pki', leaf);
	const client = clientOf({ server, caFile: file('ca.crt'), certFile: file('admin.crt'), keyFile: file('admin.key') }, realClock, 'test');
	try {
		return await work(client);
	} finally {
		await client.transport.close();
	}
}

const map = (name: string, value: string): object => ({ metadata: { name, namespace: 'default' }, data: { value } });
const pod = (name: string): object => ({
	metadata: { name, namespace: 'default' },
	spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image, command: ['sleep', '36000'] }] },
});

async function running(client: Client, ...names: readonly string[]): Promise<void> {
	for (const end = Date.now() + 60_000; ; await realClock.sleep(50)) {
		const pods = (await client.list(PODS, { namespace: 'default' })).items;
		const found = pods.filter(({ status }) => status?.phase === 'Running').map(({ metadata }) => metadata.name ?? '');
		if (pods.length === names.length && names.every((name) => found.includes(name))) return;
		if (Date.now() > end) throw new Error(`pods are ${JSON.stringify(pods.map(({ metadata, status }) => [metadata.name, status?.phase]))}`);
	}
}

test('back to the moment of a backup', async (t) => {
	await using cluster = await testCluster('backup');
	await cluster.up();
	const copy = join(cluster.dir, 'monday.db');
	const ok = async (...args: readonly string[]): Promise<string> => {
		const { code, stdout, stderr } = await cluster.kubeling(...args);
		t.is(code, 0, stderr);
		return stdout;
	};
	const refused = async (message: RegExp, ...args: readonly string[]): Promise<void> => {
		const { code, stderr } = await cluster.kubeling(...args);
		t.is(code, 1);
		t.regex(stderr, message);
		t.regex(stderr, /^kubeling: [^\n]*\n$/, 'one plain line');
	};

	await within(cluster, async (client) => {
		await client.create(CONFIG_MAPS, map('kept', 'old'));
		await client.create(PODS, pod('kept'));
		await running(client, 'kept');
	});
	t.regex(await ok('backup', copy), /is copied to .*monday\.db: \d+ objects, revision \d+, \d.* [KM]iB\.\n$/);
	t.is((await stat(copy)).mode & 0o777, 0o600);
	await refused(/monday\.db" exists already; choose another name, or remove it/, 'backup', copy);
	const containers = await runningContainers(cluster.name);
	const newest = await within(cluster, async (client) => {
		const { metadata } = await client.get(CONFIG_MAPS, 'default/kept');
		await client.update(CONFIG_MAPS, { ...map('kept', 'new'), metadata: { ...metadata, managedFields: undefined } });
		await client.create(PODS, pod('later'));
		await running(client, 'kept', 'later');
		const { metadata: last } = await client.create(CONFIG_MAPS, map('later', ''));
		return BigInt(last.resourceVersion ?? '');
	});
	t.regex(await ok('check'), /state\.db is whole: /);
	t.regex(await ok('check', copy), /monday\.db is whole: /);
	await refused(/The data folder ".*" is in use by process \d+\. Stop it with "kubeling down/, 'restore', copy);
	t.deepEqual(
		new Set((await runningContainers(cluster.name)).keys()).isSupersetOf(new Set(containers.keys())),
		true,
		'nothing was touched',
	);

	await ok('down');
	const torn = join(cluster.dir, 'torn.db');
	await writeFile(torn, (await readFile(copy)).fill(0xa5, 10_000));
	await refused(/torn\.db" is (damaged|corrupt): /, 'check', torn);
	await refused(/torn\.db" is (damaged|corrupt): /, 'restore', torn);
	t.regex(
		await ok('restore', copy),
		/goes on from revision \d+\. What was there is kept as .*state\.db\.replaced\.\nResume it: kubeling up /,
	);
	t.regex(await cluster.up(), /is back/);
	await within(cluster, async (client) => {
		const { data, metadata } = await client.get(CONFIG_MAPS, 'default/kept');
		t.is(data?.['value'], 'old');
		await t.throwsAsync(client.get(CONFIG_MAPS, 'default/later'), { message: /not found/ });
		await running(client, 'kept');
		const { metadata: next } = await client.create(CONFIG_MAPS, map('next', ''));
		t.true(BigInt(next.resourceVersion ?? '') > newest, 'no revision is seen twice');
		t.true(BigInt(metadata.resourceVersion ?? '') < newest);
	});
	for (const end = Date.now() + 30_000; (await runningContainers(cluster.name)).size !== 2 && Date.now() < end; )
		await realClock.sleep(100);
	t.is((await runningContainers(cluster.name)).size, 2, 'only what the copy knows of runs');
});
