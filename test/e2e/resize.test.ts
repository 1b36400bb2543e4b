/** Resources that change in place on a real engine: the container's group and the pod's have the new limits, and nothing has started anew. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

test('a pod is resized while it runs', async (t) => {
	await using cluster = await testCluster('resize');
	await cluster.up();
	const k = new Kubectl(path, cluster, 'default');
	const file = join(cluster.dir, 'pod.json');
	const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
	const container = { name: 'c', image, command: ['sh', '-c', 'trap "exit 0" TERM; while true; do sleep 0.1; done'] };
	const pod = {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: { name: 'p' },
		spec: { containers: [{ ...container, resources: resources('100m', '64Mi') }] },
	};
	await writeFile(file, JSON.stringify(pod));
	await k.must(['apply', '-f', file]);
	await k.must(['wait', '--for=condition=Ready', 'pod/p', '--timeout=60s']);
	const get = (field: string): Promise<string> => k.must(['get', 'pod', 'p', '-o', `jsonpath={${field}}`]);
	const id = (await get('.status.containerStatuses[0].containerID')).replace(/^.*:\/\//, '');
	const groups = await cgroupPathsOf(Number(await must('docker', ['inspect', '-f', '{{.State.Pid}}', id])));
	const read = async (v1: readonly [string, string], v2: string, parent = ''): Promise<string> => {
		const at = groups.version === 2 ? join(groups.path, parent, v2) : join(groups.paths[v1[0]] ?? '', parent, v1[1]);
		return (await readFile(at, 'utf8')).trim();
	};
	const memory = (parent = ''): Promise<string> => read(['memory', 'memory.limit_in_bytes'], 'memory.max', parent);
	const quota = (parent = ''): Promise<string> => read(['cpu', 'cpu.cfs_quota_us'], 'cpu.max', parent);
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
			t.is((await quota(parent)).split(' ')[0], String(wantQuota));
		}
	}
	t.is(await get('.status.containerStatuses[0].restartCount'), '0');
	t.true((await get('.status.containerStatuses[0].containerID')).endsWith(id));
	const events = ['get', 'events', '--field-selector', 'involvedObject.name=p'];
	await eventually('the event of it', async () => (await k.must(events)).includes('ResizeCompleted'));
});
