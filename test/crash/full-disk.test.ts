/** A disk that fills up under a running cluster, and one that is full when the cluster dies: refusals in plain words, nothing answered lost, and all is well once there is room. */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { CONFIG_MAPS, PODS } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { realClock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { readAccess } from '../../cluster/access.ts';
import { holderOf } from '../../cluster/lock.ts';
import { clientOf } from '../../cluster/parts/client.ts';
import { testCluster, type TestCluster } from '../e2e/cluster.ts';
import { must } from '../tools/command.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { runningContainers } from './pods.ts';
import { killHard } from './victims.ts';

const image = await busyboxImage();

async function connect(cluster: TestCluster): Promise<Client> {
	const { server } = await readAccess(cluster.dataDir);
	const file = (leaf: string): string => join(cluster.dataDir, 'pki', leaf);
	return clientOf({ server, caFile: file('ca.crt'), certFile: file('admin.crt'), keyFile: file('admin.key') }, realClock, 'test');
}

/** Takes all room that is left, down to the last KiB. */
async function fill(ballast: string): Promise<void> {
	for (let size = 16 * 1024 * 1024; size >= 1024; size >>= 1)
		for (let more = true; more; )
			more = await writeFile(ballast, Buffer.alloc(size), { flag: 'a' }).then(
				() => true,
				() => false,
			);
}

async function logBytes(dataDir: string): Promise<number> {
	const files = (await readdir(join(dataDir, 'pods'), { recursive: true })).filter(
		(path) => path.includes('talker') && path.endsWith('.log'),
	);
	const sizes = await Promise.all(files.map(async (path) => (await stat(join(dataDir, 'pods', path))).size));
	return sizes.reduce((sum, one) => sum + one, 0);
}

const map = (name: string, size: number): object => ({
	apiVersion: 'v1',
	kind: 'ConfigMap',
	metadata: { name, namespace: 'default' },
	data: { x: 'x'.repeat(size) },
});
const pod = (name: string, script: string): object => ({
	apiVersion: 'v1',
	kind: 'Pod',
	metadata: { name, namespace: 'default' },
	spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image, command: ['sh', '-c', script] }] },
});

test('a disk that fills up', async (t) => {
	await using cluster = await testCluster('full');
	await mkdir(cluster.dataDir);
	await must('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'kubeling-test', cluster.dataDir]);
	await using cleanup = new AsyncDisposableStack();
	cleanup.defer(async () => {
		await cluster.kubeling('down', '--delete');
		await must('umount', ['--lazy', cluster.dataDir]);
	});
	await cluster.up();
	let client = await connect(cluster);
	cleanup.defer(() => client.transport.close());
	const isRunning = async (name: string): Promise<boolean> => (await client.get(PODS, `default/${name}`)).status?.phase === 'Running';
	await client.create(CONFIG_MAPS, map('before', 1000));
	await client.create(PODS, pod('talker', 'while :; do echo "a line that goes to the log"; sleep 0.01; done'));
	await eventually('the pod runs', () => isRunning('talker'));
	const containers = await runningContainers(cluster.name);
	const daemon = (await holderOf(cluster.dataDir))?.pid ?? 0;
	const ballast = join(cluster.dataDir, 'ballast');

	await fill(ballast);
	const kept: string[] = [];
	let refused: unknown;
	for (let i = 0; i < 100 && refused === undefined; i++)
		await client.create(CONFIG_MAPS, map(`full-${i}`, 200_000)).then(
			() => kept.push(`full-${i}`),
			(error: unknown) => (refused = error),
		);
	if (!(refused instanceof StatusError)) return t.fail(`no refusal: ${String(refused)}`);
	t.is(refused.httpCode, 503);
	t.regex(refused.message, /The disk of the database ".*state\.db" is full\. Free some space and try again/);
	for (const round of [1, 2, 3]) {
		await realClock.sleep(500);
		t.is((await client.get(CONFIG_MAPS, 'default/before')).metadata.name, 'before', `read ${round}`);
		t.is((await client.list(CONFIG_MAPS, { namespace: 'default', labelSelector: 'a!=b' })).items.length, kept.length + 2); // and the root CA
		await fill(ballast);
		t.is((await holderOf(cluster.dataDir))?.pid, daemon, 'it goes on');
	}
	t.deepEqual(await runningContainers(cluster.name), containers);

	await rm(ballast);
	await client.create(CONFIG_MAPS, map('after', 1000));
	await client.create(PODS, pod('later', 'sleep 3600'));
	await eventually('a pod starts once there is room', () => isRunning('later'));
	t.is((await holderOf(cluster.dataDir))?.pid, daemon);
	const size = await logBytes(cluster.dataDir);
	await eventually('the log of the first pod goes on', async () => (await logBytes(cluster.dataDir)) > size);

	await fill(ballast);
	await killHard([daemon]);
	const start = await cluster.kubeling('up', '--detach', '--port', '0');
	if (start.code !== 0) t.regex(start.stderr, /^kubeling: .*disk.* is full.* Free some space/m);
	await rm(ballast);
	await cluster.up();
	await client.transport.close();
	client = await connect(cluster);
	for (const name of ['before', 'after', ...kept]) t.is((await client.get(CONFIG_MAPS, `default/${name}`)).metadata.name, name);
	for (const [name, facts] of containers) t.is((await runningContainers(cluster.name)).get(name), facts);
});
