/** Resources that change in place on a real engine, of init containers too: the container's group and the pod's have the new limits, and nothing has started anew. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { cgroupPathsOf } from '../../host/cgroups.ts';
import { must } from '../tools/command.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { Kubectl, testCluster } from './cluster.ts';

const image = await busyboxImage();
const path = await kubectl();
const MI = 2 ** 20;
const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const until = (condition: string): readonly string[] => ['sh', '-c', `trap "exit 0" TERM; until ${condition}; do sleep 0.1; done`];

test('a pod is resized while it runs', async (t) => {
	await using cluster = await testCluster('resize');
	await cluster.up();
	const k = new Kubectl(path, cluster, 'default');
	const file = join(cluster.dir, 'pod.json');
	const container = { name: 'c', image, command: until('false') };
	const pod = {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: { name: 'p' },
		spec: { containers: [{ ...container, resources: resources('100m', '64Mi') }] },
	};
	await writeFile(file, JSON.stringify(pod));
	await k.must(['apply', '-f', file]);
	await k.must(['wait', '--for=condition=Ready', 'pod/p', '--timeout=110s']);
	const get = (field: string): Promise<string> => k.must(['get', 'pod', 'p', '-o', `jsonpath={${field}}`]);
	const id = plainId(await get('.status.containerStatuses[0].containerID'));
	const { memory, quota } = await limitsOf(id);
	t.is(await memory(), String(64 * MI));
	t.is(await memory('..'), String(64 * MI), 'the group of the pod');

	const resize = async (cpu: string, bytes: string): Promise<void> => {
		const now = JSON.parse(await k.must(['get', 'pod', 'p', '-o', 'json'])) as typeof pod;
		const [only] = now.spec.containers;
		if (only !== undefined) only.resources = resources(cpu, bytes);
		await writeFile(file, JSON.stringify(now));
		await k.must(['replace', '--raw', '/api/v1/namespaces/default/pods/p/resize', '-f', file]);
	};
	for (const [cpu, bytes, wantQuota, wantBytes] of [
		['250m', '128Mi', 25_000, 128 * MI],
		['50m', '32Mi', 5000, 32 * MI],
	] as const) {
		await resize(cpu, bytes);
		await eventually(`resources of ${cpu}`, async () => (await get('.status.containerStatuses[0].resources.limits.memory')) === bytes);
		await eventually('the end of it', async () => (await get('.status.conditions[?(@.type=="PodResizeInProgress")].status')) === '');
		for (const parent of ['', '..']) {
			t.is(await memory(parent), String(wantBytes));
			t.is(await quota(parent), String(wantQuota));
		}
	}
	t.is(await get('.status.containerStatuses[0].restartCount'), '0');
	t.true((await get('.status.containerStatuses[0].containerID')).endsWith(id));
	const events = ['get', 'events', '--field-selector', 'involvedObject.name=p'];
	await eventually('the event of it', async () => (await k.must(events)).includes('ResizeCompleted'));
});

test('init containers are resized while they run: one that ends, and one that stays', async (t) => {
	await using cluster = await testCluster('resize-init');
	await cluster.up();
	const k = new Kubectl(path, cluster, 'default');
	const given = resources('100m', '64Mi');
	const [side, init, main] = ['side', 'init', 'main'].map((name) => ({ name, image, resources: given, command: until('test -e /tmp/go') }));
	await k.apply({
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: { name: 'p' },
		spec: { initContainers: [{ ...side, restartPolicy: 'Always' }, init], containers: [main] },
	});
	const get = (field: string): Promise<string> => k.must(['get', 'pod', 'p', '-o', `jsonpath={${field}}`]);
	const status = (name: string, field: string): Promise<string> => get(`.status.initContainerStatuses[?(@.name=="${name}")].${field}`);
	await eventually('both run', async () => (await get('.status.initContainerStatuses[*].state.running.startedAt')).split(' ').length === 2);
	const ids = new Map<string, string>();
	for (const name of ['side', 'init']) ids.set(name, plainId(await status(name, 'containerID')));
	const limits = await Promise.all([...ids.values()].map(limitsOf));

	const resize = async (names: readonly string[], cpu: string, bytes: string): Promise<void> => {
		const initContainers = names.map((name) => ({ name, resources: resources(cpu, bytes) }));
		await k.must(['patch', 'pod', 'p', '--subresource=resize', '-p', JSON.stringify({ spec: { initContainers } })]);
		await eventually('seen', async () => (await get('.metadata.generation')) === (await get('.status.observedGeneration')));
		await eventually(
			'the end of it',
			async () => (await get('.status.conditions[?(@.status=="True")].type')).includes('PodResize') === false,
		);
	};
	// What runs together counts together: the sidecar with the init container, or with the main one, whichever is more.
	for (const [cpu, bytes, own, whole] of [
		['250m', '128Mi', [25_000, 128 * MI], [50_000, 256 * MI]],
		['50m', '32Mi', [5000, 32 * MI], [15_000, 96 * MI]],
	] as const) {
		await resize(['side', 'init'], cpu, bytes);
		for (const name of ids.keys())
			await eventually(`${bytes} of ${name}`, async () => (await status(name, 'resources.limits.memory')) === bytes);
		for (const { memory, quota } of limits) {
			t.deepEqual([await quota(), await memory()], own.map(String));
			// Where there is less of it, the pod's is written after those of the containers.
			await eventually('the group of the pod', async () => isDeepStrictEqual([await quota('..'), await memory('..')], whole.map(String)));
		}
	}
	t.is(await get('.status.phase'), 'Pending');

	await k.must(['exec', 'p', '-c', 'init', '--', 'touch', '/tmp/go']);
	await k.must(['wait', '--for=condition=Ready', 'pod/p', '--timeout=110s']);
	await resize(['side'], '200m', '96Mi');
	await eventually('more of the sidecar', async () => (await status('side', 'resources.limits.memory')) === '96Mi');
	const [sidecar] = limits;
	t.deepEqual([await sidecar?.quota(), await sidecar?.memory()], ['20000', String(96 * MI)]);
	t.deepEqual([await sidecar?.quota('..'), await sidecar?.memory('..')], ['30000', String(160 * MI)], 'the group of the pod');
	// One that has ended is given what it would have, and does not run again for it.
	await resize(['init'], '60m', '48Mi');
	for (const [name, id] of ids) t.deepEqual([plainId(await status(name, 'containerID')), await status(name, 'restartCount')], [id, '0']);
	t.is(await status('init', 'state.terminated.reason'), 'Completed');
	t.is(await get('.status.containerStatuses[0].restartCount'), '0');
});

interface Limits {
	/** Bytes; `..` is the group of the pod. */
	memory(parent?: string): Promise<string>;
	/** Microseconds of 100 ms. */
	quota(parent?: string): Promise<string>;
}

/** Of a container that runs, as the kernel has them. */
async function limitsOf(id: string): Promise<Limits> {
	const groups = await cgroupPathsOf(Number(await must('docker', ['inspect', '-f', '{{.State.Pid}}', id])));
	const read = async (v1: readonly [string, string], v2: string, parent: string): Promise<string> => {
		const at = groups.version === 2 ? join(groups.path, parent, v2) : join(groups.paths[v1[0]] ?? '', parent, v1[1]);
		return (await readFile(at, 'utf8')).trim().split(' ')[0] ?? '';
	};
	return {
		memory: (parent = '') => read(['memory', 'memory.limit_in_bytes'], 'memory.max', parent),
		quota: (parent = '') => read(['cpu', 'cpu.cfs_quota_us'], 'cpu.max', parent),
	};
}

function plainId(id: string): string {
	return id.replace(/^.*:\/\//, '');
}
