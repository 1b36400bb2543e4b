/** Names and limits of pods' control groups of both versions and drivers, in folders that stand for the kernel's. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Pod, PodSpec } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { AppError } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import { CgroupTree } from '../../host/cgroup-tree.ts';
import { setSlice, startSlice, stopSlice } from '../../host/systemd-slices.ts';
import { named } from '../../test/fakes/pods.ts';
import { resourceSettingsOf } from '../config/resource-settings.ts';
import { settingsOf } from '../config/settings.ts';
import type { AgentOptions } from '../options.ts';
import { linuxResources } from '../runtime/cri-resources.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { filesOf, unitProperties } from './files.ts';
import { classLimits, podGroupLimits, quotaOf, sharesOf, weightOf, type GroupLimits } from './limits.ts';
import { enforceAllocatable, reservedLimits } from './node-allocatable.ts';
import { pathOf, podGroup, podUidOf, rootName } from './names.ts';
import { swapRules } from './swap.ts';
import { openGroups } from './open.ts';
import { PodGroups } from './pod-groups.ts';

const UID = '0a1b-2c';
for (const [qos, root, cgroupfs, systemd] of [
	['Guaranteed', '', '/kubepods/pod0a1b-2c', '/kubepods.slice/kubepods-pod0a1b_2c.slice'],
	['Burstable', '/', '/kubepods/burstable/pod0a1b-2c', '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b_2c.slice'],
	[
		'BestEffort',
		'/my-root',
		'/my-root/kubepods/besteffort/pod0a1b-2c',
		'/my_root.slice/my_root-kubepods.slice/my_root-kubepods-besteffort.slice/my_root-kubepods-besteffort-pod0a1b_2c.slice',
	],
] as const)
	test(`names: ${qos} under "${root}"`, (t) => {
		const name = podGroup(rootName(root), qos, UID);
		t.deepEqual([pathOf(name, 'cgroupfs'), pathOf(name, 'systemd')], [cgroupfs, systemd]);
		for (const driver of ['cgroupfs', 'systemd'] as const) t.is(podUidOf(pathOf(name, driver).split('/').at(-1) ?? '', driver), UID);
	});

test('names: what is no pod', (t) => {
	t.is(pathOf([], 'systemd'), '/');
	t.deepEqual([podUidOf('burstable', 'cgroupfs'), podUidOf('kubepods-burstable.slice', 'systemd')], [undefined, undefined]);
});

for (const [milli, shares] of [
	[0, 2],
	[1, 2],
	[3, 3],
	[1000, 1024],
	[1_000_000, 262_144],
] as const)
	test(`sharesOf(${milli})`, (t) => t.is(sharesOf(milli), shares));
for (const [milli, quota] of [
	[0, 0],
	[5, 1000],
	[250, 25_000],
	[1500, 150_000],
] as const)
	test(`quotaOf(${milli})`, (t) => t.is(quotaOf(milli, 100_000), quota));
for (const [shares, weight] of [
	[2, 1],
	[1024, 39],
	[262_144, 10_000],
] as const)
	test(`weightOf(${shares})`, (t) => t.is(weightOf(shares), weight));

const rules = { cpuQuota: true, cpuPeriodUs: 100_000, podPidsLimit: -1 };
const both = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const MI = 2 ** 20;
for (const [name, spec, more, want] of [
	[
		'Guaranteed',
		{ containers: [{ name: 'a', resources: both('500m', '64Mi') }] },
		{},
		{ shares: 512, quotaUs: 50_000, periodUs: 100_000, memoryBytes: 64 * MI },
	],
	[
		'Guaranteed, by the largest init container',
		{ initContainers: [{ name: 'i', resources: both('1', '32Mi') }], containers: [{ name: 'a', resources: both('500m', '64Mi') }] },
		{},
		{ shares: 1024, quotaUs: 100_000, periodUs: 100_000, memoryBytes: 64 * MI },
	],
	[
		'Burstable with one container without limits',
		{
			containers: [
				{ name: 'a', resources: both('500m', '64Mi') },
				{ name: 'b', resources: { requests: { cpu: '100m' } } },
			],
		},
		{},
		{ shares: 614, quotaUs: -1, periodUs: 100_000, memoryBytes: -1 },
	],
	[
		'Burstable with all memory limited',
		{ containers: [{ name: 'a', resources: { requests: { cpu: '100m' }, limits: { memory: '64Mi' } } }] },
		{},
		{ shares: 102, quotaUs: -1, periodUs: 100_000, memoryBytes: 64 * MI },
	],
	['BestEffort', { containers: [{ name: 'a' }] }, {}, { shares: 2 }],
	['process ids', { containers: [{ name: 'a' }] }, { podPidsLimit: 100 }, { shares: 2, pids: 100 }],
	[
		'no quota',
		{ containers: [{ name: 'a', resources: both('500m', '64Mi') }] },
		{ cpuQuota: false },
		{ shares: 512, quotaUs: -1, periodUs: 100_000, memoryBytes: 64 * MI },
	],
	[
		'huge pages',
		{
			containers: [{ name: 'a', resources: both('1', '64Mi') }].map((c) => ({
				...c,
				resources: {
					requests: { ...c.resources.requests, 'hugepages-2Mi': '4Mi' },
					limits: { ...c.resources.limits, 'hugepages-2Mi': '4Mi' },
				},
			})),
		},
		{},
		{ shares: 1024, quotaUs: 100_000, periodUs: 100_000, memoryBytes: 64 * MI, hugePages: { '2MB': 4 * MI } },
	],
	[
		'limits of the pod itself',
		{ resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } }, containers: [{ name: 'a' }] },
		{},
		{ shares: 1024, quotaUs: 200_000, periodUs: 100_000, memoryBytes: 1024 * MI },
	],
] as const)
	test(`podGroupLimits(): ${name}`, (t) =>
		t.deepEqual(podGroupLimits(named('p', spec as unknown as Partial<PodSpec>), { ...rules, ...more }), want as GroupLimits));

test('classLimits(): burstable pods together weigh what they ask for', (t) => {
	const pods = [
		named('a', { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] }),
		named('b', { containers: [{ name: 'b', resources: { requests: { cpu: '500m' } } }] }),
		named('g', { containers: [{ name: 'g', resources: both('4', '1Gi') }] }),
	];
	t.deepEqual(classLimits('Burstable', pods), { shares: 1536 });
	t.deepEqual(classLimits('BestEffort', pods), { shares: 2 });
});

const all: GroupLimits = { shares: 1024, quotaUs: 50_000, periodUs: 100_000, memoryBytes: MI, pids: 7, hugePages: { '2MB': 4 } };
const unlimited: GroupLimits = { quotaUs: -1, memoryBytes: -1, pids: -1 };
for (const [name, limits, version, want] of [
	[
		'version 1',
		all,
		1,
		'cpu.shares=1024 cpu.cfs_period_us=100000 cpu.cfs_quota_us=50000 memory.limit_in_bytes=1048576 pids.max=7 hugetlb.2MB.limit_in_bytes=4',
	],
	['version 2', all, 2, 'cpu.weight=39 cpu.max=50000 100000 memory.max=1048576 pids.max=7 hugetlb.2MB.max=4'],
	['version 1 without limits', unlimited, 1, 'cpu.cfs_period_us=100000 cpu.cfs_quota_us=-1 memory.limit_in_bytes=-1 pids.max=max'],
	['version 2 without limits', unlimited, 2, 'cpu.max=max 100000 memory.max=max pids.max=max'],
	['nothing said, nothing written', {}, 1, ''],
] as const)
	test(`filesOf(): ${name}`, (t) =>
		t.is(
			filesOf(limits, version)
				.map((f) => `${f.file}=${f.value}`)
				.join(' '),
			want,
		));

test('unitProperties(): what systemd keeps', (t) => {
	const text = (limits: GroupLimits, version: 1 | 2) =>
		unitProperties(limits, version)
			.map((p) => p.join(' '))
			.join(', ');
	t.is(text(all, 2), 'CPUWeight t 39, CPUQuotaPerSecUSec t 500000, MemoryMax t 1048576, TasksMax t 7');
	t.is(text({ ...all, quotaUs: 12_345 }, 1), 'CPUShares t 1024, CPUQuotaPerSecUSec t 130000, MemoryLimit t 1048576, TasksMax t 7');
	const most = '18446744073709551615';
	t.is(text(unlimited, 2), `CPUQuotaPerSecUSec t ${most}, MemoryMax t ${most}, TasksMax t ${most}`);
});

test('slices: made, changed and stopped over D-Bus', async (t) => {
	const calls: string[] = [];
	const run = async (command: string, args: readonly string[]): Promise<string> => {
		calls.push([command, ...args.slice(4)].join(' '));
		if (args[4] === 'StartTransientUnit' && calls.length > 1) throw new Error('Call failed: Unit a.slice already exists.');
		if (args[4] === 'StopUnit') throw new Error('Call failed: Unit a.slice not loaded.');
		return '';
	};
	await startSlice('a.slice', [['CPUWeight', 't', '39']], run);
	await startSlice('a.slice', [['CPUWeight', 't', '40']], run);
	await setSlice('a.slice', [], run);
	await stopSlice('a.slice', run);
	const always = 'DefaultDependencies b false CPUAccounting b true MemoryAccounting b true TasksAccounting b true';
	t.deepEqual(calls, [
		`busctl StartTransientUnit ssa(sv)a(sa(sv)) a.slice replace 5 ${always} CPUWeight t 39 0`,
		`busctl StartTransientUnit ssa(sv)a(sa(sv)) a.slice replace 5 ${always} CPUWeight t 40 0`,
		'busctl SetUnitProperties sba(sv) a.slice true 1 CPUWeight t 40',
		'busctl StopUnit ss a.slice replace',
	]);
});

/** A tree as the kernel would show it: files are there before anybody writes them. */
async function fakeTree(
	t: ExecutionContext,
	version: 1 | 2,
): Promise<{ readonly root: string; readonly tree: CgroupTree; files(path: string): Promise<void> }> {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-groups-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	const group = async (folder: string, files: readonly string[]): Promise<void> => {
		await mkdir(folder, { recursive: true });
		for (const file of files) await writeFile(join(folder, file), '', { flag: 'a' });
	};
	const V1 = { cpu: ['cpu.shares', 'cpu.cfs_period_us', 'cpu.cfs_quota_us'], memory: ['memory.limit_in_bytes'], pids: ['pids.max'] };
	const V2 = ['cgroup.subtree_control', 'cpu.weight', 'cpu.max', 'memory.max', 'pids.max'];
	if (version === 2) {
		await group(root, V2);
		await writeFile(join(root, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
	} else for (const controller of Object.keys(V1)) await mkdir(join(root, controller));
	const files = async (path: string): Promise<void> => {
		if (version === 2) return group(join(root, path), V2);
		for (const [controller, names] of Object.entries(V1)) await group(join(root, controller, path), names);
	};
	for (const path of ['/r/kubepods', '/r/kubepods/burstable', '/r/kubepods/besteffort']) await files(path);
	return { root, tree: await CgroupTree.open(root), files };
}

const pod: Pod = {
	...named('p', { containers: [{ name: 'c', resources: { requests: { cpu: '1' }, limits: { cpu: '1', memory: '1Mi' } } }] }),
	status: { qosClass: 'Burstable' },
};
for (const [version, weights, cpu] of [
	[1, ['cpu/r/kubepods/burstable/cpu.shares', '1024'], ['cpu/r/kubepods/burstable/POD/cpu.cfs_quota_us', '100000']],
	[2, ['r/kubepods/burstable/cpu.weight', '39'], ['r/kubepods/burstable/POD/cpu.max', '100000 100000']],
] as const)
	test(`pods' groups on version ${version}: made with limits, weighed, limited together, removed`, async (t) => {
		const { root, tree, files } = await fakeTree(t, version);
		const groups = await PodGroups.open({ tree, driver: 'cgroupfs', root: '/r', rules, log: noLog });
		t.true(groups.enabled);
		const read = (path: string): Promise<string> => readFile(join(root, path.replace('POD', `pod${pod.metadata.uid ?? ''}`)), 'utf8');
		t.is(groups.parentOf(pod), `/r/kubepods/burstable/pod${pod.metadata.uid ?? ''}`);
		await files(groups.parentOf(pod));
		await groups.ensure(pod);
		t.is(await read(cpu[0]), cpu[1]);
		await groups.balance([pod]);
		t.is((await read(weights[0])).slice(0, weights[1].length), weights[1]);
		if (version === 2) t.regex(await read('cgroup.subtree_control'), /^\+/);
		const told: string[] = [];
		const settings = resourceSettingsOf({ kubeReserved: { memory: '1Gi' }, evictionHard: {} });
		await enforceAllocatable(
			{
				groups,
				host: { cpus: 2, memoryBytes: 3 * 2 ** 30 } as never,
				settings,
				event: (...event) => void told.push(event.join(' ')),
				clock: new VirtualClock(0),
			},
			new AbortController().signal,
		);
		t.deepEqual(told, ['Normal NodeAllocatableEnforced Updated Node Allocatable limit across pods']);
		t.is(await read(version === 1 ? 'memory/r/kubepods/memory.limit_in_bytes' : 'r/kubepods/memory.max'), String(2 ** 31));
		// Files of a real group go with it; here they stand in its way.
		const folder = version === 1 ? join(root, 'cpu') : root;
		for (const hierarchy of version === 1 ? ['cpu', 'memory', 'pids'] : ['.'])
			for (const file of await readdir(join(root, hierarchy, groups.parentOf(pod))))
				await rm(join(root, hierarchy, groups.parentOf(pod), file));
		await groups.collect((uid) => uid === pod.metadata.uid);
		t.is((await readdir(join(folder, 'r/kubepods/burstable'))).filter((f) => f.startsWith('pod')).length, 1);
		await groups.collect(() => false);
		t.is((await readdir(join(folder, 'r/kubepods/burstable'))).filter((f) => f.startsWith('pod')).length, 0);
		await groups.remove(pod);
	});

for (const [version, file] of [
	[1, 'memory/memory.memsw.limit_in_bytes'],
	[2, 'r/memory.swap.max'],
] as const)
	test(`swapRules(): version ${version}, where the kernel counts it`, async (t) => {
		const { root, tree } = await fakeTree(t, version);
		t.is(await swapRules(tree, 'LimitedSwap', 5), undefined);
		await writeFile(join(root, file), '');
		t.deepEqual(await swapRules(tree, 'LimitedSwap', 5), { behavior: 'LimitedSwap', version, capacityBytes: 5 });
	});

test('where groups cannot be made, pods are where the runtime puts them', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-groups-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	await mkdir(join(root, 'cpu'));
	const groups = await PodGroups.open({ tree: await CgroupTree.open(root), driver: 'cgroupfs', root: '/r', rules, log: noLog });
	t.false(groups.enabled);
	t.is(groups.parentOf(pod), '/r');
	await groups.ensure(pod);
	t.is(groups.allocatableMemory(), undefined);
});

for (const [name, given, want] of [
	['what is left of what is reserved', { kubeReserved: { cpu: '500m', memory: '1Gi' } }, { shares: 1536, memoryBytes: 2 ** 31 }],
	[
		'all that there is, where they are not held to that',
		{ kubeReserved: { cpu: '500m', memory: '1Gi' }, enforceNodeAllocatable: ['none'] },
		{ shares: 2048, memoryBytes: 3 * 2 ** 30 },
	],
] as const)
	test(`pods have together ${name}; what cannot be set is tried again every minute`, async (t) => {
		const clock = new VirtualClock(0);
		const told: string[] = [];
		const limits: GroupLimits[] = [];
		const groups = {
			enabled: true,
			podsPath: '/kubepods',
			limit: async (path: string | undefined, wanted: GroupLimits) => {
				t.is(path, undefined);
				if (limits.push(wanted) < 3) throw new Error('Device or resource busy');
			},
		};
		const host = { cpus: 2, memoryBytes: 3 * 2 ** 30 };
		const settings = resourceSettingsOf({ evictionHard: {}, ...given });
		const event = (_type: string, reason: string, message: string): void => void told.push(`${clock.now() / 1000} ${reason}: ${message}`);
		const done = enforceAllocatable({ groups: groups as never, host: host as never, settings, event, clock }, new AbortController().signal);
		await clock.advance(120_000);
		await done;
		t.deepEqual(limits, [want, want, want]);
		const failed = 'FailedNodeAllocatableEnforcement: Failed to update Node Allocatable Limits "/kubepods": Device or resource busy';
		t.deepEqual(told, [`0 ${failed}`, `60 ${failed}`, '120 NodeAllocatableEnforced: Updated Node Allocatable limit across pods']);
	});

for (const [key, what] of [
	['system-reserved', 'System Reserved'],
	['system-reserved-compressible', 'System Reserved Compressible'],
	['kube-reserved-compressible', 'Kube Reserved Compressible'],
] as const)
	test(`enforceAllocatable(): ${key} that cannot be held`, async (t) => {
		const told: string[] = [];
		const groups = {
			...{ enabled: true, podsPath: '/kubepods' },
			limit: (path?: string) => (path === undefined ? Promise.resolve() : Promise.reject(new Error('no such group'))),
		};
		const settings = resourceSettingsOf({
			...{ enforceNodeAllocatable: ['pods', key], systemReservedCgroup: '/sys', kubeReservedCgroup: '/kube', evictionHard: {} },
			...{ systemReserved: { cpu: '100m' }, kubeReserved: { cpu: '100m' } },
		});
		const event = (...words: readonly string[]): void => void told.push(words.join(' '));
		const host = { cpus: 2, memoryBytes: 2 ** 31 } as never;
		await enforceAllocatable({ groups: groups as never, host, settings, event, clock: new VirtualClock(0) }, new AbortController().signal);
		const path = key.startsWith('system') ? '/sys' : '/kube';
		const want = `Warning FailedNodeAllocatableEnforcement Failed to enforce ${what} Cgroup Limits on "${path}": no such group`;
		t.deepEqual(
			told.filter((e) => e.startsWith('Warning')),
			[want],
		);
	});

test('reservedLimits(): time is shared, memory and processes only where they are to be kept', (t) => {
	const reserved = { cpu: '500m', memory: '1Mi', pid: '100', 'ephemeral-storage': '1Gi' };
	t.deepEqual(reservedLimits(reserved, true), { shares: 512, memoryBytes: MI, pids: 100 });
	t.deepEqual(reservedLimits(reserved, false), { shares: 512 });
});

for (const [name, cgroupDriver, want] of [
	['that says its driver', () => Promise.resolve('cgroupfs'), false],
	['that has no word for it', () => Promise.reject(new AppError('Unimplemented', 'unknown method RuntimeConfig')), true],
	['that does not answer', () => Promise.reject(new AppError('Unavailable', 'away')), false],
] as const)
	test(`openGroups(): a runtime ${name}`, async (t) => {
		const kubelet = settingsOf({ cgroupsPerQOS: false, enforceNodeAllocatable: [] });
		const options = { cgroupParent: '', kubelet } as unknown as AgentOptions;
		const { runtimeIsOld } = await openGroups(options, { cgroupDriver } as unknown as Runtime, noLog, new AbortController().signal);
		t.is(runtimeIsOld, want);
	});

for (const [name, version, given, want] of [
	['all at once with version 2', 2, {}, true],
	['one by one where that is asked for', 2, { singleProcessOOMKill: true }, false],
	['one by one with version 1', 1, {}, false],
] as const)
	test(`the processes of a container that has used up its memory end ${name}`, async (t) => {
		const { tree } = await fakeTree(t, version);
		const options = { cgroupParent: '/r', kubelet: settingsOf(given) } as unknown as AgentOptions;
		const runtime = { cgroupDriver: () => Promise.resolve('cgroupfs') } as unknown as Runtime;
		const { rules } = await openGroups(options, runtime, noLog, new AbortController().signal, tree);
		t.is(rules.oomGroup, want);
		const spec = { name: 'c', resources: { limits: { memory: '1Gi' } } };
		const { unified } = linuxResources({ metadata: {}, spec: { containers: [spec] } }, { kind: 'app', spec, target: '' }, 2 ** 32, rules);
		t.is(unified['memory.oom.group'], want ? '1' : undefined);
	});
