/** Limits of input and output: what is said of them, whose a path is, and what is written into which group. Trees of both versions stand for the kernel's. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { IoGroups, ioRules, NO_LIMITS } from '../../host/io-groups.ts';
import { checkMutable, readMutable } from '../parameters.ts';
import { readLimits } from './limits.ts';
import { podUidOf } from './pod-uid.ts';

const UID = '0f6d3c1e-2b4a-4c5d-8e7f-001122334455';
const BLKIO = ['read_bps', 'write_bps', 'read_iops', 'write_iops'].map((name) => `blkio.throttle.${name}_device`);

for (const [name, given, want] of [
	['nothing', {}, NO_LIMITS],
	[
		'bytes and units',
		{ readBytesPerSecond: '4Mi', writeBytesPerSecond: '500' },
		{ ...NO_LIMITS, readBytesPerSecond: 4 << 20, writeBytesPerSecond: 500 },
	],
	['as many bytes as there can be', { readBytesPerSecond: '8191Ti' }, { ...NO_LIMITS, readBytesPerSecond: 8191 * 1024 ** 4 }],
	['operations', { readIops: '100', writeIops: '1' }, { ...NO_LIMITS, readIops: 100, writeIops: 1 }],
	['max lifts', { readIops: 'max', writeBytesPerSecond: 'max' }, NO_LIMITS],
] as const)
	test(`limits: ${name}`, (t) => t.deepEqual(readLimits(given), want));

for (const bad of [
	{ readIops: '0' },
	{ writeIops: '1Ki' },
	{ readBytesPerSecond: '0' },
	{ writeBytesPerSecond: '-1' },
	{ readBytesPerSecond: '1M' },
	{ readBytesPerSecond: '8192Ti' }, // 2^53, which is where numbers cease to be exact
	{ writeBytesPerSecond: '999999999999Ti' },
	{ readIops: '' },
])
	test(`limits: ${JSON.stringify(bad)} is refused`, (t) =>
		t.throws(() => readLimits(bad), {
			code: 'InvalidArgument',
			message: new RegExp(`${Object.keys(bad)[0]} .*"${Object.values(bad)[0]}"`),
		}));

const ABLE = { cannotErase: undefined, cannotLimit: undefined };
const UNABLE = { ...ABLE, cannotLimit: 'no controller' };

test('limits: only a volume with a device of its own has them, where the host can limit', (t) => {
	const limited = readMutable({ writeIops: '5' });
	t.notThrows(() => checkMutable({ backend: 'loop' }, limited, ABLE));
	t.throws(() => checkMutable({ backend: 'btrfs' }, limited, ABLE), { message: /writeIops needs the back end loop/ });
	t.throws(() => checkMutable({ backend: 'loop' }, limited, UNABLE), { message: /writeIops cannot be kept here: no controller/ });
	t.notThrows(() => checkMutable({ backend: 'directory' }, readMutable({ writeIops: 'max' }), UNABLE));
});

for (const [path, uid] of [
	[`/var/lib/kubelet/pods/${UID}/volumes/kubernetes.io~csi/pv/mount`, UID],
	[`/var/lib/kubelet/plugins/kubernetes.io/csi/volumeDevices/publish/pv/${UID}`, UID],
	[`/var/lib/kubelet/plugins/kubernetes.io/csi/volumeDevices/staging/${UID}`, undefined],
	['/mnt/target', undefined],
] as const)
	test(`pod: of ${path}`, (t) => t.is(podUidOf(path), uid));

test('rules: one line on version 2, a file each on version 1; what is lifted does not stand', (t) => {
	const limits = { ...NO_LIMITS, writeBytesPerSecond: 9, readIops: 7 };
	const line = '7:3 rbps=max wbps=9 riops=7 wiops=max';
	t.deepEqual(ioRules(2, '7:3', limits), [{ file: 'io.max', standing: line, line }]);
	t.is(ioRules(2, '7:3', NO_LIMITS)[0]?.standing, undefined);
	t.deepEqual(
		ioRules(1, '7:3', limits).map(({ line, standing }) => [line, standing]),
		[
			['7:3 0', undefined],
			['7:3 9', '7:3 9'],
			['7:3 7', '7:3 7'],
			['7:3 0', undefined],
		],
	);
});

async function tree(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<string> {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-io-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	for (const [path, text] of Object.entries(files)) {
		await mkdir(join(root, path, '..'), { recursive: true });
		await writeFile(join(root, path), text);
	}
	return root;
}

const LIMITS = { ...NO_LIMITS, writeBytesPerSecond: 4096 };

for (const [driver, pod] of [
	['cgroupfs', `kubelet/kubepods/burstable/pod${UID}`],
	['a kubelet’s service', `system.slice/kubelet.service/kubepods/pod${UID}`],
	['a kubelet in a container', `docker/${'0a'.repeat(32)}/node/kubelet/kubepods/burstable/pod${UID}`],
	['systemd', `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`],
] as const) {
	test(`version 2, ${driver}: the pod’s group, which counts what is below it; another pod’s is left alone`, async (t) => {
		const root = await tree(t, {
			'cgroup.controllers': 'cpu io memory\n',
			[`${pod}/io.max`]: '',
			[`${pod}/c/io.max`]: '',
			'kubepods/pod1/io.max': '',
		});
		const groups = IoGroups.open(root) as IoGroups;
		t.deepEqual(await groups.ofPod(UID), [join(root, pod)]);
		t.deepEqual([groups.ofKernel(), groups.limitsKernel()], [[], false]);
		for (const group of await groups.ofPod(UID)) await groups.limit(group, '7:1', LIMITS);
		t.is(await readFile(join(root, pod, 'io.max'), 'utf8'), '7:1 rbps=max wbps=4096 riops=max wiops=max');
		t.is(await readFile(join(root, 'kubepods/pod1/io.max'), 'utf8'), '');
	});

	test(`version 1, ${driver}: each container’s group, and the root’s for what the kernel writes`, async (t) => {
		const group = (path: string): Record<string, string> => Object.fromEntries(BLKIO.map((file) => [join('blkio', path, file), '']));
		const root = await tree(t, { ...group(''), ...group(pod), ...group(`${pod}/one`), ...group(`${pod}/two/deeper`) });
		const groups = IoGroups.open(root) as IoGroups;
		const names = (await groups.ofPod(UID)).map((path) => path.slice(join(root, 'blkio', pod).length));
		t.deepEqual(names.toSorted(), ['', '/one', '/two', '/two/deeper']);
		t.deepEqual([groups.ofKernel(), groups.limitsKernel()], [[join(root, 'blkio')], false]);
		for (const each of [...groups.ofKernel(), ...(await groups.ofPod(UID))]) await groups.limit(each, '7:1', LIMITS); // "/two" has no files: success
		t.is(await readFile(join(root, 'blkio', pod, 'one', BLKIO[1] ?? ''), 'utf8'), '7:1 4096');
		t.is(await readFile(join(root, 'blkio', pod, 'one', BLKIO[0] ?? ''), 'utf8'), '');
		t.true(groups.limitsKernel());
	});
}

for (const [name, files, reason] of [
	['version 2 without io', { 'cgroup.controllers': 'cpu memory\n' }, /version 2.*no io/],
	['version 1 without blkio', { 'memory/tasks': '' }, /version 1.*no blkio/],
] as const)
	test(`none: ${name}`, async (t) => t.regex(IoGroups.open(await tree(t, files)) as string, reason));

test('a pod without a group yet has none', async (t) => {
	const root = await tree(t, { 'cgroup.controllers': 'io', 'kubepods/burstable/io.max': '' });
	t.deepEqual(await (IoGroups.open(root) as IoGroups).ofPod(UID), []);
});
