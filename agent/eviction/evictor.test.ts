/** Whole rounds of the evictor on virtual time: who goes, when, and what the pod and the node say. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { playing } from '../../test/fakes/playing.ts';
import type { KubeletConfiguration } from '../config/load.ts';
import { settingsOf } from '../config/settings.ts';
import type { Script } from '../runtime/simulated.ts';
import { Evictor } from './evictor.ts';
import type { Observation, Observations } from './observation.ts';
import type { Signal } from './threshold.ts';

const MI = 2 ** 20;
const GI = 2 ** 30;
const seeing = (seen: Partial<Record<Signal, readonly [available: number, capacity: number]>>): Observations =>
	new Map(
		Object.entries(seen).map(([signal, [available, capacity]]): [Signal, Observation] => [signal as Signal, { available, capacity }]),
	);

/** A node whose figures the test sets, with the real evictor. */
async function short(given: KubeletConfiguration, script: (container: string) => Script = () => ({})) {
	const { node } = await playing({ script });
	Object.assign(node.context.options, { kubelet: settingsOf(given) });
	const told: string[] = [];
	const looks: number[] = [];
	let seen = seeing({});
	const stop = new AbortController();
	const reclaim = { images: (): void => {} };
	let changes = 0;
	const evictor = new Evictor({
		context: node.context,
		workers: () => node.workers,
		reclaim: {
			containers: async () => void told.push('containers'),
			images: async () => {
				told.push('images');
				reclaim.images();
			},
		},
		event: (_type, reason, message) => void told.push(`${reason}: ${message}`),
		changed: () => changes++,
		measureNode: async () => {
			looks.push(node.clock.monotonic());
			return { seen, disks: { imagesApart: false } };
		},
	});
	const running = evictor.run(stop.signal);
	return {
		...{ node, told, looks, evictor, reclaim },
		changes: () => changes,
		see: (now: Parameters<typeof seeing>[0]): void => void (seen = seeing(now)),
		async [Symbol.asyncDispose]() {
			stop.abort();
			await running;
			await node[Symbol.asyncDispose]();
		},
	};
}

test('short of memory: one pod goes, its status says why, the rest runs on', async (t) => {
	await using it = await short({ evictionHard: { 'memory.available': '100Mi' } }, (c) => ({
		memoryBytes: c === 'greedy' ? 300 * MI : 10 * MI,
		stopMs: 5000,
	}));
	const { node } = it;
	await node.create('modest', { containers: [{ name: 'modest', image: 'i' }] });
	await node.create('greedy', { containers: [{ name: 'greedy', image: 'i' }] });
	await node.create('critical', { priority: 2_000_000_000, containers: [{ name: 'greedy', image: 'i' }] });
	await node.advance(1000);
	it.see({ 'memory.available': [50 * MI, GI] });
	await node.advance(10_000);
	it.see({ 'memory.available': [GI / 2, GI] });
	await node.advance(2000);
	const message =
		'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container greedy was using 300Mi, request is 0, has larger consumption of memory. ';
	t.like(node.pod('greedy')?.status, { phase: 'Failed', reason: 'Evicted', message });
	t.like(
		node.pod('greedy')?.status?.conditions?.find((c) => c.type === 'DisruptionTarget'),
		{ status: 'True', reason: 'TerminationByKubelet', message },
	);
	t.is(node.pod('greedy')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 137, 'the grace was one second');
	t.true(node.events('greedy').includes(`Evicted: ${message}`));
	await node.advance(60_000);
	t.deepEqual(
		['modest', 'critical'].map((n) => node.pod(n)?.status?.phase),
		['Running', 'Running'],
	);
	t.deepEqual(it.told, ['EvictionThresholdMet: Attempting to reclaim memory']);
	t.deepEqual(it.evictor.pressure, { memory: true, disk: false, pid: false });
	t.is(it.changes(), 1);
	await node.advance(250_000);
	t.deepEqual(it.evictor.pressure, { memory: false, disk: false, pid: false });
	t.is(it.changes(), 2);
	await node.stopAgent();
	await node.startAgent();
	await node.advance(10_000);
	t.like(node.pod('greedy')?.status, { phase: 'Failed', reason: 'Evicted', message }, 'an agent that starts again leaves it ended');
});

test('short of disk: dead containers and images go first, and a pod only when that was not enough', async (t) => {
	await using it = await short({ evictionHard: { 'nodefs.available': '10%' } }, (c) => ({
		layerBytes: c === 'big' ? 1000 : 1,
		stopMs: 5000,
	}));
	const { node } = it;
	await node.create('small', { containers: [{ name: 'small', image: 'i' }] });
	await node.create('big', { containers: [{ name: 'big', image: 'i' }] });
	await node.advance(1000);
	it.see({ 'nodefs.available': [5, 100] });
	await node.advance(10_000);
	it.see({ 'nodefs.available': [50, 100] });
	await node.advance(3000);
	t.deepEqual(it.told, ['EvictionThresholdMet: Attempting to reclaim ephemeral-storage', 'containers', 'images']);
	t.is(
		node.pod('big')?.status?.message,
		'The node was low on resource: ephemeral-storage. Threshold quantity: 10, available: 5. Container big was using 1k, request is 0, has larger consumption of ephemeral-storage. ',
	);
	t.is(node.pod('small')?.status?.phase, 'Running');
});

test('short of disk: what is freed of the node itself counts once the minimum is free too', async (t) => {
	const given = { evictionHard: { 'nodefs.available': '10%' }, evictionMinimumReclaim: { 'nodefs.available': '20%' } };
	await using it = await short(given, () => ({ layerBytes: 1000, stopMs: 5000 }));
	const { node } = it;
	let free = 15;
	it.reclaim.images = () => it.see({ 'nodefs.available': [free, 100] });
	await node.create('p');
	await node.advance(1000);
	free = 40;
	it.see({ 'nodefs.available': [5, 100] });
	await node.advance(12_000);
	t.is(node.pod('p')?.status?.phase, 'Running', 'enough was free');
	free = 15;
	it.see({ 'nodefs.available': [5, 100] });
	await node.advance(12_000);
	t.like(node.pod('p')?.status, { phase: 'Failed', reason: 'Evicted' });
});

test('what an evicted pod used is free: the next look comes at once', async (t) => {
	await using it = await short({ evictionHard: { 'memory.available': '100Mi' } }, () => ({ memoryBytes: 300 * MI, stopMs: 1500 }));
	const { node, looks } = it;
	await node.create('p');
	await node.advance(1000);
	it.see({ 'memory.available': [50 * MI, GI] });
	await node.advance(9000);
	it.see({ 'memory.available': [500 * MI, GI] });
	await node.advance(5000);
	t.deepEqual(
		looks.map((at) => at - (looks[0] ?? 0)),
		[0, 10_000, 11_500],
	);
});

test("a soft threshold: after its grace, with as much of the pod's own grace as the node allows", async (t) => {
	const given = {
		evictionHard: {},
		evictionSoft: { 'pid.available': '100' },
		evictionSoftGracePeriod: { 'pid.available': '30s' },
		evictionMaxPodGracePeriod: 7,
	};
	await using it = await short(given, () => ({ processes: 500, stopMs: 5000 }));
	const { node } = it;
	await node.create('p');
	it.see({ 'pid.available': [50, 1000] });
	await node.advance(25_000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	t.true(it.evictor.pressure.pid);
	await node.advance(25_000);
	t.like(node.pod('p')?.status, {
		phase: 'Failed',
		message: 'The node was low on resource: pids. Threshold quantity: 100, available: 50. ',
	});
	t.is(node.pod('p')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0, 'it had five of its seven seconds');
});

test('a pod beyond its own limit of local storage goes, and nobody else is to blame', async (t) => {
	await using it = await short({ evictionHard: {} });
	const { node } = it;
	await node.create('full', { volumes: [{ name: 'v', emptyDir: { sizeLimit: '8Ki' } }] });
	await node.advance(1000);
	const folder = join(node.rootDir, 'pods', node.pod('full')?.metadata.uid ?? '', 'volumes', 'kubernetes.io~empty-dir', 'v');
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'file'), Buffer.alloc(64 * 1024));
	await node.advance(12_000);
	t.like(node.pod('full')?.status, {
		phase: 'Failed',
		reason: 'Evicted',
		message: 'Usage of EmptyDir volume "v" exceeds the limit "8Ki". ',
	});
	t.is(
		node.pod('full')?.status?.conditions?.find((c) => c.type === 'DisruptionTarget'),
		undefined,
	);
});
