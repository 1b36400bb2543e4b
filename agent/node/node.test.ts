/** What a node says of itself. */
import test from 'ava';
import type { Node } from '../../api/gen/types.ts';
import { NODES } from '../../api/resources.ts';
import { createMetrics } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EventRecorder } from '../../client/events.ts';
import { createClient } from '../../client/rest.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { playing } from '../../test/fakes/playing.ts';
import type { HostFacts } from '../../host/facts.ts';
import { parsePids } from '../../host/pids.ts';
import { addressesOf } from './addresses.ts';
import { capacityOf } from './capacity.ts';
import { resourceSettingsOf } from '../config/resource-settings.ts';
import { nodeSettingsOf } from '../config/node-settings.ts';
import { NO_PRESSURE } from '../eviction/observation.ts';
import type { RuntimeHandler } from '../runtime/runtime.ts';
import { unmetDemands } from './host-demands.ts';
import { NodeLook, together } from './look.ts';
import { NodeKeeper } from './node.ts';
import { registerNode } from './register.ts';
import { NodeStartup } from './startup-figures.ts';
import { nodeStatusOf, sameStatus, type NodeSeen } from './status.ts';

const GI = 2 ** 30;
const none = NO_PRESSURE;
test('parsePids()', (t) => t.deepEqual(parsePids('4194304\n', '0.52 0.58 0.59 3/1234 5678\n'), { limit: 4194304, running: 1234 }));

const host: HostFacts = {
	...{ hostname: 'h', machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: '6.1', osImage: 'Debian', architecture: 'amd64' },
	...{ cpus: 4, memoryBytes: 8 * GI, swapBytes: 0, hugePages: { '2Mi': GI } },
};
const seen: NodeSeen = {
	...{ now: 0, host, addresses: ['192.0.2.1'], port: 10250, version: 'v1.36.0', notReady: '', pressure: none },
	capacity: capacityOf(
		host,
		100 * GI,
		110,
		resourceSettingsOf({ evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' } }),
	),
	runtime: {
		name: 'docker',
		version: '20',
		handlers: [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: false }],
		supplementalGroupsPolicy: false,
	},
	maxImages: 50,
	images: [1, 3, 2].map((n) => ({ id: `${n}`, tags: [`i:${n}`], digests: [], sizeBytes: n, uid: 0, username: '', pinned: false })),
};
const node: Node = { metadata: { name: 'n' }, status: { capacity: { 'example.com/dongle': '2', cpu: '1' } } };

test('a node says what it has, gives what eviction leaves, and keeps what others added', (t) => {
	const status = nodeStatusOf(node, seen);
	t.like(status, {
		capacity: {
			cpu: '4',
			memory: '8388608Ki',
			pods: '110',
			'ephemeral-storage': '104857600Ki',
			'hugepages-2Mi': '1048576Ki',
			'example.com/dongle': '2',
		},
		allocatable: { cpu: '4', memory: '7237632Ki', 'ephemeral-storage': '96636764160', 'example.com/dongle': '2' },
		addresses: [
			{ type: 'InternalIP', address: '192.0.2.1' },
			{ type: 'Hostname', address: 'n' },
		],
		daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
		nodeInfo: {
			containerRuntimeVersion: 'docker://20',
			kubeletVersion: 'v1.36.0',
			operatingSystem: 'linux',
			architecture: 'amd64',
			bootID: 'b',
		},
		runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: false } }],
		features: { supplementalGroupsPolicy: false },
	});
	t.deepEqual(
		status.images?.map((i) => i.names?.[0]),
		['i:3', 'i:2', 'i:1'],
	);
});

for (const [name, more, want] of [
	[
		'all is well',
		{},
		{
			MemoryPressure: 'False KubeletHasSufficientMemory kubelet has sufficient memory available',
			DiskPressure: 'False KubeletHasNoDiskPressure kubelet has no disk pressure',
			PIDPressure: 'False KubeletHasSufficientPID kubelet has sufficient PID available',
			Ready: 'True KubeletReady kubelet is posting ready status',
		},
	],
	[
		'short of memory',
		{ pressure: { ...none, memory: true } },
		{ MemoryPressure: 'True KubeletHasInsufficientMemory kubelet has insufficient memory available' },
	],
	['short of disk', { pressure: { ...none, disk: true } }, { DiskPressure: 'True KubeletHasDiskPressure kubelet has disk pressure' }],
	['no runtime', { notReady: 'container runtime is down' }, { Ready: 'False KubeletNotReady container runtime is down' }],
] as const)
	test(`a node's conditions: ${name}`, (t) => {
		const conditions = nodeStatusOf(node, { ...seen, ...more }).conditions ?? [];
		t.like(Object.fromEntries(conditions.map((c) => [c.type, `${c.status} ${c.reason} ${c.message}`])), want as Record<string, string>);
	});

test('together(): what several say is a list, each once', (t) => {
	t.deepEqual([[], ['', ''], ['a', ''], ['a', 'b', 'a']].map(together), ['', '', 'a', '[a, b]']);
});

test('a runtime that is down keeps its name and what it can do', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const { options, host, runtime } = node.context;
	const told: (readonly RuntimeHandler[])[] = [];
	const look = new NodeLook({
		options,
		deps: node.context,
		host,
		capacity: { capacity: {}, allocatable: {} },
		port: 1,
		faults: () => ['also this'],
		answered: ({ handlers }) => told.push(handlers),
	});
	const before = await look.look(new AbortController().signal);
	t.is(before.notReady, 'also this');
	Object.assign(runtime, { status: () => Promise.reject(new Error('no socket')) });
	const after = await look.look(new AbortController().signal);
	t.is(after.notReady, '[container runtime is down, also this]');
	t.deepEqual(after.runtime, { ...before.runtime, version: 'Unknown' });
	t.deepEqual(told, [before.runtime.handlers], 'what no longer answers tells of nothing');
});

for (const [name, before, events] of [
	['a new one', undefined, ['NodeReady']],
	['one that was ready', 'True', []],
	['one that nobody heard of for long', 'Unknown', ['NodeReady']],
] as const)
	test(`that a node is ready is told when it becomes so: ${name}`, async (t) => {
		const { node } = await playing();
		await using _ = node;
		const { clock, context } = node;
		const client = createClient(new FakeTransport(clock));
		if (before !== undefined)
			await client.create(NODES, { metadata: { name: 'node' }, status: { conditions: [{ type: 'Ready', status: before }] } });
		const told: string[] = [];
		const recorder = { ...context.recorder, event: (_about: unknown, _type: unknown, reason: string) => void told.push(reason) };
		const deps = { ...context, client };
		const capacity = { capacity: {}, allocatable: {} };
		const stop = new AbortController();
		const given = { options: context.options, deps, host: context.host, capacity, port: 1, recorder: recorder as unknown as EventRecorder };
		const keeper = await NodeKeeper.register(given, stop.signal);
		const running = keeper.run(stop.signal, () => {});
		await clock.advance(1000);
		stop.abort();
		await running;
		t.deepEqual(
			told.filter((reason) => reason.startsWith('NodeR') || reason.startsWith('NodeNotR')),
			[...events],
		);
	});

test('sameStatus(): a heartbeat is no difference, a condition is', (t) => {
	const status = nodeStatusOf(node, seen);
	t.true(sameStatus(status, nodeStatusOf({ ...node, status }, { ...seen, now: 60_000 })));
	t.false(sameStatus(status, nodeStatusOf({ ...node, status }, { ...seen, pressure: { ...none, pid: true } })));
});

const reserving = (given: object) => capacityOf(host, 100 * GI, 110, resourceSettingsOf({ evictionHard: {}, ...given })).allocatable;
for (const [name, given, want] of [
	['nothing', {}, { cpu: '4', memory: '7340032Ki', 'ephemeral-storage': '107374182400' }],
	[
		'for the agent',
		{ kubeReserved: { cpu: '100m', memory: '1Gi', 'ephemeral-storage': '1Gi' } },
		{ cpu: '3900m', memory: '6291456Ki', 'ephemeral-storage': '106300440576' },
	],
	['for the system too', { kubeReserved: { cpu: '1' }, systemReserved: { cpu: '500m' } }, { cpu: '2500m' }],
	['more than there is', { kubeReserved: { cpu: '8', memory: '80Gi' } }, { cpu: '0', memory: '0Ki' }],
	['memory for eviction', { evictionHard: { 'memory.available': '25%' } }, { memory: '5242880Ki' }],
	[
		"not for a soft threshold's sake",
		{ evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '1m' } },
		{ memory: '7340032Ki' },
	],
] as const)
	test(`allocatable: reserved is ${name}`, (t) => t.like(reserving(given), want as object));

test('as many images are told of as the configuration says, the largest first', (t) => {
	const sizes = (maxImages: number): unknown => nodeStatusOf(node, { ...seen, maxImages }).images?.map(({ sizeBytes }) => sizeBytes);
	t.deepEqual([sizes(-1), sizes(2), sizes(0)], [[3, 2, 1], [3, 2], []]);
});

for (const [name, given, machine, want] of [
	['nothing is demanded unless told', {}, { swapBytes: 1, cgroupVersion: 1, flags: {} }, []],
	[
		'no swap',
		{ failSwapOn: true },
		{ swapBytes: 1, cgroupVersion: 2, flags: {} },
		['running with swap on is not supported, please disable swap or set --fail-swap-on flag to false'],
	],
	['no swap, and there is none', { failSwapOn: true }, { swapBytes: 0, cgroupVersion: 2, flags: {} }, []],
	[
		'no cgroup v1',
		{ failCgroupV1: true },
		{ swapBytes: 0, cgroupVersion: 1, flags: {} },
		[
			'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release',
		],
	],
	[
		"upstream's kernel flags, those that there are",
		{ protectKernelDefaults: true },
		{ swapBytes: 0, cgroupVersion: 2, flags: { 'vm/overcommit_memory': 0, 'kernel/panic': 10 } },
		['invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0'],
	],
] as const)
	test(`demands: ${name}`, async (t) => {
		const { flags, ...facts } = machine;
		const kernelFlag = (flag: string): Promise<number | undefined> => Promise.resolve((flags as Record<string, number>)[flag]);
		t.deepEqual(await unmetDemands(nodeSettingsOf(given), { ...facts, kernelFlag }), [...want]);
	});

test('a Node is made with its provider, or waited for where somebody else makes it', async (t) => {
	const clock = new VirtualClock();
	const client = createClient(new FakeTransport(clock));
	const { signal } = new AbortController();
	const meta = { labels: { a: 'b' }, taints: [], providerId: 'x://1', register: true };
	const made = await registerNode('made', meta, seen, client, clock, signal);
	t.deepEqual([made.node.spec?.providerID, made.isNew], ['x://1', true]);
	const [label, annotation] = ['a', 'volumes.kubernetes.io/controller-managed-attach-detach'];
	await client.create(NODES, { metadata: { name: 'bare', annotations: { mine: '1' } } });
	const { metadata } = (await registerNode('bare', meta, seen, client, clock, signal)).node;
	t.like(
		metadata,
		{ labels: { [label]: 'b' }, annotations: { mine: '1', [annotation]: 'true' } },
		'what controllers go by is told of one that is there',
	);
	let found: Node | undefined;
	const waiting = registerNode('awaited', { ...meta, register: false }, seen, client, clock, signal).then((it) => (found = it.node));
	await clock.advance(5000);
	t.is(found, undefined);
	await client.create(NODES, { metadata: { name: 'awaited' } });
	await clock.advance(7000);
	await waiting;
	t.is(found?.metadata.labels, undefined, 'it is left as it was made');
});

test('how long a new node took to be ready is told once, stage by stage', async (t) => {
	const clock = new VirtualClock(100_000);
	const registry = createMetrics();
	const startup = new NodeStartup(registry, clock, 40_000);
	const steps = [() => startup.registering(), () => startup.registered(), () => startup.ready(), () => startup.ready()];
	for (const step of steps) {
		await clock.advance(1000);
		step();
	}
	const figures = [...(await registry.metrics()).matchAll(/^kubelet_node_startup_(\w*?)_?duration_seconds (\d+)$/gm)];
	t.deepEqual(
		figures.map(([, stage, seconds]) => `${stage} ${seconds}`),
		['pre_kubelet 60', 'pre_registration 1', 'registration 1', 'post_registration 1', ' 63'],
	);
});

test('addressesOf(): its own, those of a NAT before it, its name', (t) =>
	t.deepEqual(addressesOf({ nodeName: 'n', nodeIps: ['10.0.0.1', 'fd00::1'], externalIps: ['192.0.2.1'] }), [
		{ type: 'InternalIP', address: '10.0.0.1' },
		{ type: 'InternalIP', address: 'fd00::1' },
		{ type: 'ExternalIP', address: '192.0.2.1' },
		{ type: 'Hostname', address: 'n' },
	]));
