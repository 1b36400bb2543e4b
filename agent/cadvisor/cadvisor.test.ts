import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { noLog } from '../../base/log.ts';
import { CgroupTree } from '../../host/cgroup-tree.ts';
import { runtimeIdOf } from '../cgroup/names.ts';
import { PodGroups } from '../cgroup/pod-groups.ts';
import type { AgentContext } from '../context.ts';
import { exposition } from '../server/exposition.ts';
import type { Figures } from '../server/measure.ts';
import { containerFamilies } from './families.ts';
import { parseDiskStats } from './file-systems.ts';
import { openFilesLimit, parseInterfaces, processesOf } from './processes.ts';
import { watchedGroups } from './watched.ts';

const ID = 'a'.repeat(64);
const PAUSE = 'b'.repeat(64);
const rules = { cpuQuota: true, cpuPeriodUs: 100_000, podPidsLimit: -1 };
const BOUND = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [{ name: 'c', image: 'busybox:1' }] } } as Pod;

const FIGURES = {
	node: { at: 0, bootedAt: 5000, cpuNanos: 7e9, memory: { totalBytes: 1000, freeBytes: 400 } },
	pods: [
		{
			uid: 'u',
			name: 'p',
			namespace: 'n',
			at: 0,
			interfaces: [{ name: 'eth0', rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 }],
			containers: [{ id: ID, name: 'c', at: 0, cpuNanos: 2e9, writableLayerBytes: 4096 }],
		},
	],
	containers: new Map([[ID, { id: ID, name: 'c', image: 'sha256:x', startedAt: 9000 }]]),
	sandboxes: new Map([['u', { sandboxes: [{ id: PAUSE, createdAt: 8000, hostNetwork: false }] }]]),
} as unknown as Figures;

async function told(groups: PodGroups): Promise<readonly string[]> {
	const context = { groups, clock: new VirtualClock(60_000) } as unknown as AgentContext;
	return exposition(containerFamilies(await watchedGroups(context, FIGURES, [BOUND]))).split('\n');
}

/** The lines of one metric, without what they have in common. */
function of(lines: readonly string[], name: string, more: string): readonly string[] {
	return lines.filter((line) => line.startsWith(`${name}{`) && line.includes(more));
}

const POD_V1 = 'kubepods/burstable/podu';
const POD_V2 = 'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podu.slice';

for (const [version, driver, files, id] of [
	[
		1,
		'cgroupfs',
		{
			[`cpuacct/${POD_V1}/${ID}/cpuacct.usage`]: '1500000000',
			[`cpuacct/${POD_V1}/${ID}/cpuacct.usage_user`]: '1000000000',
			[`cpu/${POD_V1}/${ID}/cpu.cfs_quota_us`]: '5000',
			[`cpu/${POD_V1}/${ID}/cpu.cfs_period_us`]: '100000',
			[`cpu/${POD_V1}/${ID}/cpu.shares`]: '51',
			[`cpu/${POD_V1}/${ID}/cpu.stat`]: 'nr_periods 100\nnr_throttled 7\nthrottled_time 500000000\n',
			[`memory/${POD_V1}/${ID}/memory.usage_in_bytes`]: '9000',
			[`memory/${POD_V1}/${ID}/memory.limit_in_bytes`]: '16777216',
			[`memory/${POD_V1}/${ID}/memory.oom_control`]: 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
			[`memory/${POD_V1}/${ID}/memory.stat`]:
				'pgfault 3\ntotal_pgfault 4\ntotal_cache 500\ntotal_inactive_file 1000\nhierarchical_memory_limit 16777216\n',
			[`blkio/${POD_V1}/${ID}/blkio.throttle.io_service_bytes`]: '0:999 Read 4096\n0:999 Write 8192\nTotal 12288\n',
			[`blkio/${POD_V1}/${ID}/blkio.throttle.io_serviced`]: '0:999 Read 1\n0:999 Write 2\nTotal 3\n',
			[`pids/${POD_V1}/${ID}/pids.current`]: '3',
			[`pids/${POD_V1}/${ID}/pids.max`]: '64',
			[`cpu/${POD_V1}/${PAUSE}/cpu.shares`]: '2',
		},
		`/${POD_V1}/${ID}`,
	],
	[
		2,
		'systemd',
		{
			'cgroup.controllers': 'cpu memory pids io',
			[`${POD_V2}/cri-containerd-${ID}.scope/cpu.stat`]:
				'usage_usec 1500000\nuser_usec 1000000\nnr_periods 100\nnr_throttled 7\nthrottled_usec 500000\n',
			[`${POD_V2}/cri-containerd-${ID}.scope/cpu.max`]: '5000 100000',
			[`${POD_V2}/cri-containerd-${ID}.scope/cpu.weight`]: '2',
			[`${POD_V2}/cri-containerd-${ID}.scope/memory.current`]: '9000',
			[`${POD_V2}/cri-containerd-${ID}.scope/memory.max`]: '16777216',
			[`${POD_V2}/cri-containerd-${ID}.scope/memory.stat`]: 'file 500\ninactive_file 1000\npgfault 4\n',
			[`${POD_V2}/cri-containerd-${ID}.scope/memory.events`]: 'low 0\nhigh 0\nmax 0\noom 2\noom_kill 2\n',
			[`${POD_V2}/cri-containerd-${ID}.scope/io.stat`]: '0:999 rbytes=4096 wbytes=8192 rios=1 wios=2\n',
			[`${POD_V2}/cri-containerd-${ID}.scope/pids.current`]: '3',
			[`${POD_V2}/cri-containerd-${ID}.scope/pids.max`]: '64',
			[`${POD_V2}/cri-containerd-${ID}.scope/cpu.pressure`]:
				'some avg10=0.00 avg60=0.00 avg300=0.00 total=250000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
			[`${POD_V2}/cri-containerd-${PAUSE}.scope/memory.current`]: '1',
		},
		`/${POD_V2}/cri-containerd-${ID}.scope`,
	],
] as const)
	test(`cAdvisor's figures of groups of version ${version}, ${driver}`, async (t) => {
		const folder = await mkdtemp(join(tmpdir(), 'kubeling-cadvisor-'));
		t.teardown(() => rm(folder, { recursive: true }));
		for (const [path, text] of Object.entries(files)) {
			await mkdir(dirname(join(folder, path)), { recursive: true });
			await writeFile(join(folder, path), text);
		}
		const given = { tree: await CgroupTree.open(folder), driver, root: '', rules, log: noLog } as const;
		// Slices are systemd's to make; to be found they need not be.
		const groups = PodGroups.over(given);
		const lines = await told(groups);
		const container = `container="c",`;
		const ours = `id="${id}",image="busybox:1",name="${ID}",namespace="n",pod="p"`;
		const mine = (name: string): readonly string[] => of(lines, name, `name="${ID}"`);
		t.deepEqual(mine('container_cpu_usage_seconds_total'), [
			`container_cpu_usage_seconds_total{${container}cpu="total",${ours}} 1.5 60000`,
		]);
		t.deepEqual(mine('container_cpu_user_seconds_total'), [`container_cpu_user_seconds_total{${container}${ours}} 1 60000`]);
		t.deepEqual(mine('container_cpu_cfs_throttled_periods_total'), [
			`container_cpu_cfs_throttled_periods_total{${container}${ours}} 7 60000`,
		]);
		t.deepEqual(mine('container_cpu_cfs_throttled_seconds_total'), [
			`container_cpu_cfs_throttled_seconds_total{${container}${ours}} 0.5 60000`,
		]);
		t.deepEqual(mine('container_memory_cache'), [`container_memory_cache{${container}${ours}} 500 60000`]);
		t.deepEqual(mine('container_memory_working_set_bytes'), [`container_memory_working_set_bytes{${container}${ours}} 8000 60000`]);
		t.deepEqual(mine('container_oom_events_total'), [`container_oom_events_total{${container}${ours}} 2 60000`]);
		t.deepEqual(mine('container_threads_max'), [`container_threads_max{${container}${ours}} 64 60000`]);
		t.deepEqual(mine('container_spec_cpu_quota'), [`container_spec_cpu_quota{${container}${ours}} 5000`]);
		t.deepEqual(mine('container_spec_memory_limit_bytes'), [`container_spec_memory_limit_bytes{${container}${ours}} 16777216`]);
		t.deepEqual(mine('container_start_time_seconds'), [`container_start_time_seconds{${container}${ours}} 9`]);
		t.deepEqual(mine('container_fs_writes_total'), [`container_fs_writes_total{${container}device="",${ours}} 2 60000`]);
		const written = of(lines, 'container_blkio_device_usage_total', 'operation="Write"').filter((line) => line.includes(ID));
		t.is(written.length, 1);
		t.regex(written[0] ?? '', /device="",id=".*",major="0",minor="999",name=".*} 8192 60000$/);
		const pressed = mine('container_pressure_cpu_waiting_seconds_total');
		t.deepEqual(pressed, version === 1 ? [] : [`container_pressure_cpu_waiting_seconds_total{${container}${ours}} 0.25 60000`]);
		// Without a quota there is no throttling to tell of.
		t.is(of(lines, 'container_cpu_cfs_periods_total', '').length, 1);
		const ids = of(lines, 'container_last_seen', '').map((line) => /id="([^"]*)"/.exec(line)?.[1]);
		const pod = version === 1 ? `/${POD_V1}` : `/${POD_V2}`;
		t.deepEqual(
			ids.filter((x) => x?.startsWith(pod)),
			[pod, id, `${pod}/${version === 1 ? PAUSE : `cri-containerd-${PAUSE}.scope`}`],
		);
		t.true(ids.includes('/'));
		// The machine's, with all its memory as its limit.
		t.is(of(lines, 'container_spec_memory_limit_bytes', 'id="/"')[0]?.split(' ')[1], '1000');
		t.is(of(lines, 'container_memory_usage_bytes', 'id="/"')[0]?.split(' ')[1], '600');
		t.is(of(lines, 'container_cpu_usage_seconds_total', 'id="/"')[0]?.split(' ')[1], '7');
	});

test('a disk with a file system on all of it is told of once, and so are disks without a name', (t) => {
	const labels = { container: '', id: '/', image: '', name: '', namespace: '', pod: '' };
	const io = (device: string, name: string, reads: bigint) => ({ device, name, readBytes: 0n, writtenBytes: 0n, reads, writes: 0n });
	const devices = [io('254:0', '/dev/vda', 7n), io('0:41', '', 1n), io('0:42', '', 2n)];
	const fileSystems = [{ device: '/dev/vda', disk: [9, 0, 0, 0] }];
	const lines = exposition(containerFamilies([{ labels, at: 0, startedAt: undefined, figures: { devices }, fileSystems }])).split('\n');
	const reads = of(lines, 'container_fs_reads_total', '');
	t.deepEqual(
		reads.map((line) => [/device="([^"]*)"/.exec(line)?.[1], line.split(' ')[1]]),
		[
			['/dev/vda', '7'],
			['', '1'],
		],
	);
});

test('without groups of pods, what the runtime says is told', async (t) => {
	const tree = await CgroupTree.open('/nowhere');
	const lines = await told(PodGroups.off({ tree, driver: 'cgroupfs', root: '', rules, log: noLog }));
	const labels = `id="${ID}",image="busybox:1",name="${ID}",namespace="n",pod="p"`;
	t.deepEqual(of(lines, 'container_cpu_usage_seconds_total', 'pod="p"'), [
		`container_cpu_usage_seconds_total{container="c",cpu="total",${labels}} 2 0`,
	]);
	t.deepEqual(of(lines, 'container_fs_usage_bytes', 'pod="p"'), [`container_fs_usage_bytes{container="c",device="",${labels}} 4096 0`]);
	const net = `id="${PAUSE}",image="",interface="eth0",name="${PAUSE}",namespace="n",pod="p"`;
	t.deepEqual(of(lines, 'container_network_transmit_errors_total', 'pod="p"'), [
		`container_network_transmit_errors_total{container="",${net}} 4 0`,
	]);
	t.deepEqual(of(lines, 'container_network_receive_packets_total', 'pod="p"'), []);
});

for (const [name, want] of [
	[ID, ID],
	[`cri-containerd-${ID}.scope`, ID],
	[`docker-${ID}.scope`, ID],
	['init', undefined],
] as const)
	test(`the runtime's id in a folder's name: ${name}`, (t) => t.is(runtimeIdOf(name), want));

test('files of /proc', async (t) => {
	t.deepEqual(parseDiskStats(' 254       0 vda 1 2 3 4 5 6 7 8 9 10 11\n').get('vda'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
	t.is(
		openFilesLimit('Limit  Soft Limit Hard Limit Units\nMax open files            1024                 4096                 files\n'),
		1024,
	);
	t.is(openFilesLimit('Max open files            unlimited            unlimited            files\n'), -1);
	t.is(openFilesLimit(''), undefined);
	const text =
		'Inter-|   Receive\n face |bytes\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n';
	t.deepEqual(
		parseInterfaces(text).map((i) => [i.name, i.counters[9]]),
		[['eth0', 10]],
	);
	const own = await processesOf([process.pid]);
	t.is(own.count, 1);
	t.true(own.descriptors > 2 && own.sockets <= own.descriptors);
});
