/** Parsers of what the kernel shows, on recorded texts and file trees; and this host, where every one of them must give something. */
import { link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { capabilitiesOf, parseCapabilities } from './capabilities.ts';
import { removeCgroup } from './cgroup-remove.ts';
import { readDetails, readPressures, readSwapLimit } from './cgroup-details.ts';
import { readSpec } from './cgroup-spec.ts';
import { flatValue, parseCgroupPaths, readProcesses, readUsage } from './cgroups.ts';
import { parseStat, uptimeSeconds } from './cpu.ts';
import { goArchitecture, hostFacts, prettyName } from './facts.ts';
import { diskUsage } from './disk-usage.ts';
import { fsStats } from './filesystem.ts';
import { holdMounted } from './freeze.ts';
import { parseRoutes } from './interfaces.ts';
import { memoryInfo, parseMemInfo } from './memory.ts';
import { messageOfRecord } from './kernel-log.ts';
import { loopDevices } from './loop.ts';
import { deviceNumber, isMounted, mountedAt } from './mounted.ts';
import { mountAt, parseMountInfo, readMounts } from './mounts.ts';
import { parseProcessStat, processStat, processTree } from './process.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

for (const [name, text, root, want] of [
	[
		'version 1: a folder a controller',
		'4:memory:/kubepods/pod1\n1:cpu:/kubepods/pod1\n2:cpuacct:/kubepods/pod1\n8:pids:/kubepods/pod1\n7:blkio:/kubepods/pod1\n9:name=systemd:/\n0::/\n',
		join(FIXTURES, 'v1'),
		{ memoryLimitBytes: 67108864n, cpuNanos: 61194556n, swapBytes: 0n },
	],
	[
		'version 2: one folder',
		'0::/kubepods.slice/pod1\n',
		join(FIXTURES, 'v2'),
		{ memoryLimitBytes: undefined, cpuNanos: 61194000n, swapBytes: 4096n },
	],
] as const)
	test(`cgroups ${name}`, (t) => {
		const groups = parseCgroupPaths(text, root);
		t.deepEqual(readDetails(groups), {
			cpuUserNanos: 40000000n,
			cpuSystemNanos: 21194000n,
			periods: 100n,
			throttledPeriods: 7n,
			throttledNanos: 12345000n,
			cacheBytes: 900000n,
			mappedFileBytes: 450560n,
			kernelBytes: 61440n,
			maxUsageBytes: 2097152n,
			limitHits: 5n,
			burstPeriods: 2n,
			burstNanos: 3000n,
			activeFileBytes: 4096n,
			inactiveFileBytes: 310720n,
			// Version 2 has no figures of a group alone.
			ownPageFaults: groups.version === 2 ? 2579n : 9n,
			ownMajorPageFaults: groups.version === 2 ? 3n : 1n,
			oomKills: 1n,
			devices: [
				{ device: '8:0', readBytes: 4096n, writtenBytes: 8192n, reads: 1n, writes: 2n },
				{ device: '253:1', readBytes: 10n, writtenBytes: 0n, reads: 1n, writes: 0n },
			],
		});
		t.deepEqual(readSpec(groups), {
			cpuShares: groups.version === 2 ? 1024 : 1000,
			cpuQuotaUs: 5000,
			cpuPeriodUs: 100000,
			memoryBytes: Number(want.memoryLimitBytes ?? 0n),
			swapBytes: groups.version === 2 ? 8192 : 67117056,
			reservationBytes: 0,
			threads: 64,
		});
		t.is(readSwapLimit(groups, readUsage(groups).memoryLimitBytes), 8192n);
		const line = (avg10: number, avg60: number, avg300: number, totalNanos: bigint) => ({ avg10, avg60, avg300, totalNanos });
		const cpu = { some: line(1.5, 0.75, 0.1, 123456000n), full: line(0.5, 0.25, 0, 23456000n) };
		const io = { some: line(0, 0, 0, 9000n), full: line(0, 0, 0, 8000n) };
		t.deepEqual(
			readPressures(groups),
			groups.version === 2 ? { cpu, memory: cpu, io } : { cpu: undefined, memory: undefined, io: undefined },
		);
		t.deepEqual(readUsage(parseCgroupPaths(text, root)), {
			memoryBytes: 1310720n,
			workingSetBytes: 1000000n,
			rssBytes: 106496n,
			pageFaults: 2579n,
			majorPageFaults: 3n,
			...want,
		});
		t.is(readProcesses(parseCgroupPaths(text, root)), 4n);
	});
for (const [key, want] of [
	['a', 1n],
	['total_a', 22n],
	['last', 3n],
	['tot', 0n],
	['none', 0n],
	['words', 0n],
] as const)
	test(`cgroups: the value of "${key}"`, (t) => {
		t.is(flatValue('a 1\ntotal_a 22\nwords no number\nlast 3', key), want);
	});

for (const [name, hierarchical, own, want] of [
	['a limit of its own', '4096', '4096', 4096n],
	['of the group above alone', '4096', '9223372036854771712', undefined],
	['none anywhere: its own is not looked at', '9223372036854771712', undefined, undefined],
	['a kernel that does not say what is above', undefined, '4096', 4096n],
] as const)
	test(`cgroups: version 1, limit of memory, ${name}`, (t) => {
		const files: Record<string, string | undefined> = {
			'/m/memory.stat': hierarchical === undefined ? 'cache 1\n' : `cache 1\nhierarchical_memory_limit ${hierarchical}\n`,
			...(own === undefined ? {} : { '/m/memory.limit_in_bytes': `${own}\n` }),
		};
		const asked: string[] = [];
		const read = (path: string): string | undefined => {
			asked.push(path);
			return files[path];
		};
		t.is(readUsage({ version: 1, paths: { memory: '/m' } }, read).memoryLimitBytes, want);
		t.is(asked.includes('/m/memory.limit_in_bytes'), own !== undefined);
	});

test('cgroups: joined controllers share a folder', (t) => {
	t.deepEqual(parseCgroupPaths('3:cpu,cpuacct:/a\n', '/r'), {
		version: 1,
		paths: { cpu: '/r/cpu,cpuacct/a', cpuacct: '/r/cpu,cpuacct/a' },
	});
});

test('memory: without MemAvailable the free memory stands in', (t) => {
	t.is(parseMemInfo('MemTotal: 100 kB\nMemFree: 40 kB\nMemAvailable: 60 kB\n').availableBytes, 61440);
	t.is(parseMemInfo('MemTotal: 100 kB\nMemFree: 40 kB\n').availableBytes, 40960);
});
test('processor times: guest time is not counted twice', (t) => {
	const stat = parseStat('cpu  100 0 50 800 50 0 0 0 90 0\nbtime 1700000000\n');
	t.deepEqual(stat, { busyNanos: 1.5e9, idleNanos: 8.5e9, bootedAtMs: 1700000000000 });
});
test('routes: little-endian hex', (t) => {
	const text =
		'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\neth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\ndocker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n';
	t.deepEqual(parseRoutes(text), [
		{ interface: 'eth0', destination: '0.0.0.0/0', gateway: '192.0.2.1', metric: 100 },
		{ interface: 'docker0', destination: '172.17.0.0/16', gateway: '0.0.0.0', metric: 0 },
	]);
});
test('mount table: escapes, propagation, optional fields', (t) => {
	const mounts = parseMountInfo(
		'22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n30 22 0:25 / /mnt/a\\040b ro - tmpfs none rw,size=1k\n31 22 0:26 / /mnt rw shared:2 master:1 - tmpfs x rw\n32 22 0:27 / /mnt rw - tmpfs top rw\n',
	);
	t.deepEqual(
		mounts.map((m) => [m.path, m.propagation, m.type]),
		[
			['/', 'shared', 'ext4'],
			['/mnt/a b', 'private', 'tmpfs'],
			['/mnt', 'sharedSlave', 'tmpfs'],
			['/mnt', 'private', 'tmpfs'],
		],
	);
	t.is(mountAt(mounts, '/mnt')?.source, 'top');
});
test('a process whose name has spaces and parentheses', (t) => {
	t.deepEqual(parseProcessStat(`42 (a) b (c)) S 7 ${'0 '.repeat(17)}99 0`), { pid: 42, parent: 7, state: 'S', startTicks: 99 });
	t.is(parseProcessStat(''), undefined);
});
test('capabilities by bit', (t) => {
	t.deepEqual(parseCapabilities('CapBnd:\t0000000000000021\n'), ['CHOWN', 'KILL']);
});
test('names', (t) => {
	t.is(prettyName('NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'), 'Debian GNU/Linux 12 (bookworm)');
	t.is(prettyName(''), 'Linux');
	t.deepEqual([goArchitecture('x64'), goArchitecture('arm64')], ['amd64', 'arm64']);
});
test('this host', async (t) => {
	const facts = await hostFacts();
	t.true(facts.bootId !== '' && facts.cpus > 0 && facts.memoryBytes > 0 && facts.kernelVersion !== '');
	t.true((await memoryInfo()).totalBytes > (await memoryInfo()).availableBytes);
	t.true((await uptimeSeconds()) > 0);
	t.true((await fsStats('/')).capacityBytes > 0);
	t.truthy(mountAt(await readMounts(), '/'));
	t.true(Array.isArray(await capabilitiesOf('self')));
	t.is((await processStat(process.pid))?.parent, process.ppid);
	t.true((await processTree(process.pid)).includes(process.pid));
	t.is(await processStat(2 ** 30), undefined);
	const unreadable = await mkdtemp(join(tmpdir(), 'kubeling-proc-'));
	t.teardown(() => rm(unreadable, { recursive: true, force: true }));
	await mkdir(join(unreadable, '1/stat'), { recursive: true });
	await t.throwsAsync(processStat(1, unreadable), { code: 'EISDIR' }, 'not known to be gone');
});

test('what is mounted at a path: as the mount table has it; folders, files, links and what is not there are no mounts', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-mounted-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	await symlink('/proc', join(dir, 'link'));
	await writeFile(join(dir, 'file'), '');
	const mounts = await readMounts();
	for (const path of ['/proc', '/sys', '/dev']) t.is((await mountedAt(path))?.device, mountAt(mounts, path)?.device, path);
	for (const path of [dir, `${dir}/file`, `${dir}/link`, `${dir}/link/self`, `${dir}/none`, `${dir}/file/none`])
		t.deepEqual([await mountedAt(path), await isMounted(path)], [undefined, false], path);
	t.true(await isMounted('/proc'));
	const wide = [deviceNumber(0x0703), deviceNumber(0x10_07_02), deviceNumber(2 ** 44 + 1)];
	t.deepEqual(wide, ['7:3', '7:258', '4096:1']);
});

test('removeCgroup() takes a tree out of every hierarchy, leaves its neighbours, and names what is busy', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-cgroup-'));
	try {
		for (const path of ['memory/mine/pod/container', 'cpu/mine', 'cpu/other', 'mine/pod', 'pids/mine/busy'])
			await mkdir(join(root, path), { recursive: true });
		await writeFile(join(root, 'pids/mine/busy/held'), ''); // as a process would, this keeps the folder
		t.deepEqual((await removeCgroup('/mine', root)).toSorted(), [join(root, 'pids/mine'), join(root, 'pids/mine/busy')]);
		const left = (await readdir(root, { recursive: true })).toSorted();
		t.deepEqual(left, ['cpu', 'cpu/other', 'memory', 'pids', 'pids/mine', 'pids/mine/busy', 'pids/mine/busy/held']);
		t.deepEqual(await removeCgroup('/never', root), []);
	} finally {
		await rm(root, { recursive: true });
	}
});

test('loop devices: those that have a file, with its size and whether it can be written', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-loop-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	for (const [name, files] of Object.entries({
		loop0: { 'loop/backing_file': '/pool/a b.img\n', 'loop/autoclear': '1\n', dev: '7:0\n', ro: '1\n', size: '2048\n' },
		loop1: { dev: '7:1\n', ro: '0\n', size: '0\n' },
		vda: { 'loop/backing_file': '/x\n', dev: '254:0\n' },
	}))
		for (const [file, text] of Object.entries(files)) {
			await mkdir(join(root, name, 'loop'), { recursive: true });
			await writeFile(join(root, name, file), text);
		}
	t.deepEqual(await loopDevices(root), [
		{ path: '/dev/loop0', device: '7:0', backingFile: '/pool/a b.img', readOnly: true, autoclear: true, sizeBytes: 1_048_576 },
	]);
	t.deepEqual(await loopDevices(join(root, 'none')), []);
});

test('diskUsage(): every file once, whatever its names; nothing there is nothing', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-usage-'));
	t.teardown(() => rm(root, { recursive: true }));
	const empty = await diskUsage(root);
	await mkdir(join(root, 'sub'));
	await writeFile(join(root, 'sub', 'file'), Buffer.alloc(64 * 1024, 'x'));
	const before = await diskUsage(root);
	t.is(before.inodes, empty.inodes + 2);
	t.true(before.bytes - empty.bytes >= 64 * 1024);
	await link(join(root, 'sub', 'file'), join(root, 'other'));
	t.deepEqual(await diskUsage(root), before);
	t.deepEqual(await diskUsage(join(root, 'nothing')), { bytes: 0, inodes: 0 });
});

for (const [name, path] of [
	['another is mounted there', tmpdir()],
	['nothing is there', join(tmpdir(), 'kubeling-none')],
	['the way there is none', '/proc/version/none'],
] as const)
	test(`a mounted file system is not held where ${name}`, async (t) => {
		await t.throwsAsync(holdMounted({ path, device: '7:1048575' }), { code: 'Aborted' });
	});

for (const [name, record, want] of [
	['its first line', '6,339,5140900,-;a; b\n SUBSYSTEM=acpi\n DEVICE=+acpi:x', 'a; b'],
	['a part of one', '4,340,1690716,c;cont', 'cont'],
	['what is none', 'no record', undefined],
] as const)
	test(`messageOfRecord(): ${name}`, (t) => t.is(messageOfRecord(record), want));
