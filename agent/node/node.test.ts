/** What a node says of itself, and when it is under pressure. */
import test from 'ava';
import type { Node } from '../../api/gen/types.ts';
import type { HostFacts } from '../../host/facts.ts';
import { parsePids } from '../../host/pids.ts';
import { capacityOf } from './capacity.ts';
import { EVICTION } from './look.ts';
import { pressureOf, PressureMemory, type Signals } from './pressure.ts';
import { nodeStatusOf, sameStatus, type NodeSeen } from './status.ts';

const GI = 2 ** 30;
const disk = { capacityBytes: 100 * GI, availableBytes: 50 * GI, inodes: 1000, inodesFree: 500 };
const well: Signals = { memoryAvailableBytes: GI, disks: [disk], pids: { limit: 32768, running: 500 } };
const none = { memory: false, disk: false, pid: false };
for (const [name, signals, limits, want] of [
	['nothing', well, EVICTION, none],
	['memory', { ...well, memoryAvailableBytes: 99 * 2 ** 20 }, EVICTION, { ...none, memory: true }],
	['disk', { ...well, disks: [{ ...disk, availableBytes: GI / 2 }] }, EVICTION, { ...none, disk: true }],
	['the disk of the images', { ...well, disks: [disk, { ...disk, availableBytes: 0 }] }, EVICTION, { ...none, disk: true }],
	['inodes', { ...well, disks: [{ ...disk, inodesFree: 5 }] }, EVICTION, { ...none, disk: true }],
	['a disk without inodes is no pressure', { ...well, disks: [{ ...disk, inodes: 0, inodesFree: 0 }] }, EVICTION, none],
	['process ids', { ...well, pids: { limit: 1000, running: 950 } }, EVICTION, { ...none, pid: true }],
	[
		"upstream's limits",
		{ ...well, disks: [{ ...disk, availableBytes: 9 * GI }] },
		{ memoryAvailableBytes: 0, diskAvailableShare: 0.1 },
		{ ...none, disk: true },
	],
] as const)
	test(`pressureOf(): ${name}`, (t) => t.deepEqual(pressureOf(signals, limits), want));

test('a pressure stays for five minutes after it was seen last', (t) => {
	const memory = new PressureMemory();
	const at = (minutes: number, held: boolean): boolean => memory.observe({ ...none, memory: held }, minutes * 60_000).memory;
	t.deepEqual([at(0, false), at(1, true), at(2, false), at(3, true), at(7.9, false), at(8, false)], [false, true, true, true, true, false]);
});

test('parsePids()', (t) => t.deepEqual(parsePids('4194304\n', '0.52 0.58 0.59 3/1234 5678\n'), { limit: 4194304, running: 1234 }));

const host: HostFacts = {
	...{ hostname: 'h', machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: '6.1', osImage: 'Debian', architecture: 'amd64' },
	...{ cpus: 4, memoryBytes: 8 * GI, swapBytes: 0, hugePages: { '2Mi': GI } },
};
const seen: NodeSeen = {
	...{ now: 0, host, addresses: ['192.0.2.1'], port: 10250, version: 'v1.36.0', notReady: '', pressure: none },
	capacity: capacityOf(host, 100 * GI, 110, { memoryAvailableBytes: 100 * 2 ** 20, diskAvailableShare: 0.1 }),
	runtime: {
		name: 'docker',
		version: '20',
		handlers: [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: false }],
		supplementalGroupsPolicy: false,
	},
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

test('sameStatus(): a heartbeat is no difference, a condition is', (t) => {
	const status = nodeStatusOf(node, seen);
	t.true(sameStatus(status, nodeStatusOf({ ...node, status }, { ...seen, now: 60_000 })));
	t.false(sameStatus(status, nodeStatusOf({ ...node, status }, { ...seen, pressure: { ...none, pid: true } })));
});
