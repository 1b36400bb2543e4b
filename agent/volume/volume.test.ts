/** Volumes made from API objects: what they hold, how they are written, and that they follow what they show. */
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import test from 'ava';
import type { ConfigMap, Pod, Volume } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { parseMountInfo } from '../../host/mounts.ts';
import { hasNoswap } from '../../host/tmpfs.ts';
import { c, playing } from '../../test/fakes/playing.ts';
import { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { settingsOf } from '../config/settings.ts';
import type { AgentContext } from '../context.ts';
import { podFolder } from '../pod/folders.ts';
import { writeVolume } from './atomic-writer.ts';
import { fileSystemOf, setUpEmptyDir } from './empty-dir.ts';
import { configMapFiles, type VolumeFiles } from './files.ts';
import { setUpHostPath } from './host-path.ts';
import { isShared } from './persistent.ts';
import { VolumeStats } from './stats.ts';
import { Tokens } from './tokens.ts';
import { setUpVolumes } from './volumes.ts';

const NEVER = new AbortController().signal;

const map: ConfigMap = { metadata: { name: 'm' }, data: { a: '1', b: '2' }, binaryData: { c: 'AAE=' } };
for (const [name, object, selecting, want] of [
	['all keys', map, {}, { a: 0o644, b: 0o644, c: 0o644 }],
	['chosen keys under their paths and modes', map, { items: [{ key: 'a', path: 'x/y', mode: 0o400 }] }, { 'x/y': 0o400 }],
	['a key that is not there', map, { items: [{ key: 'z', path: 'z' }] }, 'configmap references non-existent config key: z'],
	['a key that need not be there', map, { items: [{ key: 'z', path: 'z' }], optional: true }, {}],
	['nothing', undefined, {}, 'configmap "m" not found'],
	['nothing where nothing is needed', undefined, { optional: true }, {}],
] as const)
	test(`configMapFiles(): ${name}`, (t) => {
		const files = (): VolumeFiles => configMapFiles('configmap "m"', object, selecting as Parameters<typeof configMapFiles>[2], 0o644);
		if (typeof want === 'string') t.throws(files, { message: want });
		else t.deepEqual(Object.fromEntries([...files()].map(([path, file]) => [path, file.mode])), want as Record<string, number>);
	});

for (const [name, source, requests, bounds, want] of [
	['on the disk', { sizeLimit: '1Mi' }, [], [100, 100], undefined],
	['as much as the node gives', { medium: 'Memory' }, [], [100, -1], ['tmpfs', 'size=100']],
	['no more than the pod may use', { medium: 'Memory', sizeLimit: '70' }, [], [100, 50], ['tmpfs', 'size=50']],
	['in memory, and not on the disk either', { medium: 'Memory' }, [], [100, -1, true], ['tmpfs', 'size=100', 'noswap']],
	['no more than it is for', { medium: 'Memory', sizeLimit: '10' }, [], [100, 50], ['tmpfs', 'size=10']],
	['the huge pages that there are', { medium: 'HugePages' }, ['hugepages-2Mi', 'hugepages-2Mi'], [0, 0], ['hugetlbfs', 'pagesize=2Mi']],
	['huge pages by their size', { medium: 'HugePages-1Gi' }, ['hugepages-2Mi', 'hugepages-1Gi'], [0, 0], ['hugetlbfs', 'pagesize=1Gi']],
	[
		'of which size',
		{ medium: 'HugePages' },
		['hugepages-2Mi', 'hugepages-1Gi'],
		[0, 0],
		/can't be used if container requests multiple huge page sizes$/,
	],
	[
		'that nobody asks for',
		{ medium: 'HugePages-2Mi' },
		['cpu'],
		[0, 0],
		/^medium HugePages-2Mi: hugePages storage requested, but there is no resource request for huge pages$/,
	],
] as const)
	test(`emptyDir: ${name}`, (t) => {
		const containers = requests.map((resource, i) => ({ name: String(i), resources: { requests: { [resource]: '1Gi' } } }));
		const [allocatableBytes, podBytes, noswap = false] = bounds;
		const found = () => fileSystemOf({ metadata: {}, spec: { containers } }, source, { allocatableBytes, podBytes, noswap });
		if (want instanceof RegExp) t.throws(found, { message: want });
		else t.deepEqual(found(), want === undefined ? undefined : { type: want[0], options: want.slice(1) });
	});

for (const [name, lines, want] of [
	['one pod', ['1 0 8:1 / / rw - ext4 /dev/a rw', '2 1 8:1 /disk /pods/a rw - ext4 /dev/a rw'], false],
	['two pods', ['2 1 8:1 /disk /pods/a rw - ext4 /dev/a rw', '3 1 8:1 /disk /pods/b rw - ext4 /dev/a rw'], true],
	['two volumes of one disk', ['2 1 8:1 /disk /pods/a rw - ext4 /dev/a rw', '3 1 8:1 /other /pods/b rw - ext4 /dev/a rw'], false],
	['a disk of its own', ['2 1 8:2 / /disk rw - ext4 /dev/b rw', '3 1 8:2 / /pods/a rw - ext4 /dev/b rw'], false],
	['one pod, mounted elsewhere besides', ['1 0 8:2 / /srv rw - ext4 /dev/b rw', '2 1 8:2 / /pods/a rw - ext4 /dev/b rw'], false],
	['nobody', [], false],
] as const)
	test(`a local volume of ${name}`, (t) => t.is(isShared(parseMountInfo(lines.join('\n')), '/pods/a', '/pods'), want));

for (const [release, users, want] of [
	['6.4.0', '         0          0 4294967295\n', true],
	['6.10.1-generic', '0 0 4294967295', true],
	['7.0', '0 0 4294967295', true],
	['6.3.9', '0 0 4294967295', false],
	['5.15.0', '0 0 4294967295', false],
	['6.8.0', '0 1000 1', false],
	['', '', false],
] as const)
	test(`a tmpfs can be kept off swap: ${release} ${users.trim()}`, (t) => t.is(hasNoswap(release, users), want));

test('hostPath: a file is made, the folder that it is in is not', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-host-path-'));
	t.teardown(() => rm(folder, { recursive: true, force: true }));
	await setUpHostPath({ path: join(folder, 'file'), type: 'FileOrCreate' });
	t.true((await stat(join(folder, 'file'))).isFile());
	await t.throwsAsync(setUpHostPath({ path: join(folder, 'none', 'file'), type: 'FileOrCreate' }));
	await setUpHostPath({ path: join(folder, 'a', 'b'), type: 'DirectoryOrCreate' });
	t.true((await stat(join(folder, 'a', 'b'))).isDirectory());
	for (const [name, type, kind] of [
		['a', 'FileOrCreate', 'file'],
		['file', 'DirectoryOrCreate', 'directory'],
		['none', 'Directory', 'directory'],
		['file/below', 'File', 'file'],
		['file', 'Socket', 'socket file'],
		['file', 'CharDevice', 'character device'],
		['file', 'BlockDevice', 'block device'],
	] as const) {
		const path = join(folder, name);
		await t.throwsAsync(setUpHostPath({ path, type }), { message: `hostPath type check failed: ${path} is not a ${kind}` });
	}
	await t.throwsAsync(setUpHostPath({ path: join(folder, 'file'), type: 'Pipe' }), { message: 'Pipe is an invalid volume type' });
	const back = `${folder}/a/../file`;
	await t.throwsAsync(setUpHostPath({ path: back }), { message: `invalid HostPath \`${back}\`: must not contain '..'` });
});

test('hostPath: a file is made where a link to nothing leads', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-host-path-'));
	t.teardown(() => rm(folder, { recursive: true, force: true }));
	await mkdir(join(folder, 'real/below'), { recursive: true });
	await symlink('real/below', join(folder, 'a'));
	await symlink('../made', join(folder, 'a', 'link'));
	await symlink(join(folder, 'a', 'link'), join(folder, 'far'));
	await setUpHostPath({ path: join(folder, 'far'), type: 'FileOrCreate' });
	t.true((await stat(join(folder, 'real/made'))).isFile());
	await symlink('around', join(folder, 'around'));
	for (const type of ['FileOrCreate', 'DirectoryOrCreate']) await t.throwsAsync(setUpHostPath({ path: join(folder, 'around'), type }));
});

test('emptyDir: anybody may write there, and what a container makes of it stays', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-empty-dir-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	const isRoot = process.getuid?.() === 0;
	for (const fsGroup of isRoot ? [undefined, 1234] : [undefined]) {
		const place = { folder: join(root, String(fsGroup)), ready: join(root, 'ready', String(fsGroup)) };
		const pod: Pod = { metadata: {}, spec: { containers: [], ...(fsGroup === undefined ? {} : { securityContext: { fsGroup } }) } };
		const setUp = () => setUpEmptyDir(place, pod, {}, { allocatableBytes: 0, podBytes: 0, noswap: false });
		const mode = async (): Promise<string> => ((await stat(place.folder)).mode & 0o7777).toString(8);
		await setUp();
		t.is(await mode(), fsGroup === undefined ? '777' : '2777');
		t.is((await stat(place.folder)).gid, fsGroup ?? process.getgid?.() ?? 0);
		await chmod(place.folder, 0o700);
		await setUp();
		t.is(await mode(), '700', 'as a database wants its folder');
		await rm(place.folder, { recursive: true });
		await setUp();
		t.is(await mode(), fsGroup === undefined ? '777' : '2777', 'made anew where it is gone');
	}
});

test('writeVolume(): all at once behind ..data, with modes and owners, and nothing left of the old', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-volume-'));
	const file = (text: string, mode = 0o400) => ({ data: Buffer.from(text), mode });
	const root = process.getuid?.() === 0;
	const group = root ? 1234 : undefined;
	t.true(
		await writeVolume(
			folder,
			new Map([
				['a', file('1')],
				['d/e', file('2', 0o600)],
			]),
			group,
			0,
		),
	);
	t.false(
		await writeVolume(
			folder,
			new Map([
				['a', file('1')],
				['d/e', file('2', 0o600)],
			]),
			group,
			1000,
		),
		'the same is not written',
	);
	const first = await readlink(join(folder, '..data'));
	t.regex(first, /^\.\.1970_01_01_00_00_00\./);
	t.deepEqual(await Promise.all(['a', 'd'].map((n) => readlink(join(folder, n)))), ['..data/a', '..data/d']);
	if (root) {
		const info = await Promise.all(['', 'a', 'd', 'd/e'].map((n) => stat(join(folder, n))));
		t.deepEqual(
			info.map((s) => (s.mode & 0o7777).toString(8)),
			['2755', '440', '2755', '640'],
		);
		t.true(info.every((s) => s.uid === 0 && s.gid === 1234));
	}
	t.true(await writeVolume(folder, new Map([['b', file('3')]]), group, 2000));
	t.deepEqual(
		(await readdir(folder)).filter((n) => !n.startsWith('..')),
		['b'],
	);
	t.deepEqual((await readdir(folder)).filter((n) => n.startsWith('..')).length, 2, 'the new folder and ..data');
	t.is(await readFile(join(folder, 'b'), 'utf8'), '3');
	await rm(folder, { recursive: true });
});

test('writeVolume(): what an agent that died left undone is done by the next; folders of others stay; nothing is removed elsewhere', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-volume-'));
	t.teardown(() => rm(folder, { recursive: true, force: true }));
	const files: VolumeFiles = new Map([['a', { data: Buffer.from('1'), mode: 0o400 }]]);
	await writeVolume(folder, files, undefined, 0);
	await rm(join(folder, 'a'));
	await mkdir(join(folder, 'nested'));
	t.false(await writeVolume(folder, files, undefined, 0));
	t.is(await readFile(join(folder, 'a'), 'utf8'), '1');
	t.true((await stat(join(folder, 'nested'))).isDirectory());
	const elsewhere = await mkdtemp(join(tmpdir(), 'kubeling-victim-'));
	t.teardown(() => rm(elsewhere, { recursive: true, force: true }));
	await rm(join(folder, '..data'));
	await symlink(relative(folder, elsewhere), join(folder, '..data'));
	t.true(await writeVolume(folder, files, undefined, 0));
	t.is(await readFile(join(folder, 'a'), 'utf8'), '1');
	t.true((await stat(elsewhere)).isDirectory());
});

test("a pod's folder is for the agent alone, whoever makes it first", async (t) => {
	await using node = await SimulatedNode.start();
	await setUpVolumes({ ...pod, spec: { containers: [], volumes: [{ name: 'v', downwardAPI: { items: [] } }] } }, node.context, NEVER);
	t.is((await stat(podFolder(node.rootDir, 'u'))).mode & 0o777, 0o750);
});

async function withVolume(
	volume: Omit<Volume, 'name'>,
): Promise<{ readonly node: SimulatedNode; readonly read: (plugin: string, file: string) => Promise<string> }> {
	const { node } = await playing();
	for (const [kind, name, more] of [
		['configmaps', 'm', { data: { k: 'one' } }],
		['configmaps', 'fixed', { data: { k: 'one' }, immutable: true }],
		['secrets', 's', { data: { k: Buffer.from('one').toString('base64') } }],
	] as const)
		node.transport.api.create(`/api/v1/${kind}`, { metadata: { name }, ...more } as never, 'n');
	await node.create('p', { containers: [c({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })], volumes: [{ name: 'v', ...volume }] });
	await node.advance(2000);
	const uid = node.pod('p')?.metadata.uid ?? '';
	const read = (plugin: string, file: string): Promise<string> =>
		readFile(join(node.rootDir, 'pods', uid, 'volumes', `kubernetes.io~${plugin}`, 'v', file), 'utf8').catch(() => 'nothing');
	return { node, read };
}

function change(node: SimulatedNode, kind: string, name: string, more: object): void {
	const { metadata } = node.transport.api.get(`/api/v1/${kind}`, `n/${name}`);
	node.transport.api.update(`/api/v1/${kind}`, `n/${name}`, { metadata, ...more } as never);
}

for (const [name, volume, plugin, kind, object, more, want] of [
	['a configMap', { configMap: { name: 'm' } }, 'configmap', 'configmaps', 'm', { data: { k: 'two' } }, 'two'],
	['a secret', { secret: { secretName: 's' } }, 'secret', 'secrets', 's', { data: { k: 'dHdv' } }, 'two'],
	[
		'a projection',
		{ projected: { sources: [{ configMap: { name: 'm' } }, { secret: { name: 's', items: [{ key: 'k', path: 'o' }] } }] } },
		'projected',
		'configmaps',
		'm',
		{ data: { k: 'two' } },
		'two',
	],
	['not what is immutable', { configMap: { name: 'fixed' } }, 'configmap', 'configmaps', 'fixed', { data: { k: 'two' } }, 'one'],
] as const)
	test(`a volume follows ${name}`, async (t) => {
		const { node, read } = await withVolume(volume as unknown as Volume);
		await using _ = node;
		t.is(await read(plugin, 'k'), 'one');
		change(node, kind, object, more);
		await node.advance(0);
		t.is(await read(plugin, 'k'), want);
	});

test('an optional configMap appears when it is made, and its watch ends after its last pod', async (t) => {
	const { node, read } = await withVolume({ configMap: { name: 'later', optional: true } });
	await using _ = node;
	t.is(await read('configmap', 'k'), 'nothing');
	const watches = node.transport.watches;
	node.transport.api.create('/api/v1/configmaps', { metadata: { name: 'later' }, data: { k: 'v' } } as never, 'n');
	await node.advance(0);
	t.is(await read('configmap', 'k'), 'v');
	await node.delete('p', 1);
	await node.advance(70_000);
	t.is(node.transport.watches, watches - 1);
});

test('a volume whose configMap is missing holds the pod back until it comes', async (t) => {
	const { node } = await withVolume({ configMap: { name: 'late' } });
	await using _ = node;
	t.is(node.pod('p')?.status?.phase, 'Pending');
	t.true(node.events('p').some((e) => e === 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "late" not found'));
	node.transport.api.create('/api/v1/configmaps', { metadata: { name: 'late' }, data: {} } as never, 'n');
	await node.advance(15_000);
	t.is(node.pod('p')?.status?.phase, 'Running');
});

test('a downward API volume follows labels', async (t) => {
	const { node, read } = await withVolume({ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: "metadata.labels['x']" } }] } });
	await using _ = node;
	t.is(await read('downward-api', 'l'), '');
	await node.update('p', (pod) => (pod.metadata.labels = { x: 'y' }));
	t.is(await read('downward-api', 'l'), 'y');
});

const pod: Pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [] } };
for (const [name, lifeSeconds, waitSeconds, fails, want] of [
	['is kept for most of its life', 3600, 2800, false, 'token-1'],
	['is renewed after 80 % of it', 3600, 2881, false, 'token-2'],
	['is renewed after a day at the latest', 10 * 86_400, 86_401, false, 'token-2'],
	['is kept while a renewal fails', 3600, 3000, true, 'token-1'],
	['is not used beyond its life', 3600, 3601, true, 'error'],
] as const)
	test(`a token ${name}`, async (t) => {
		const clock = new VirtualClock();
		let count = 0;
		const create = async (): Promise<unknown> => {
			if (count > 0 && fails) throw new Error('away');
			return { status: { token: `token-${++count}`, expirationTimestamp: new Date(clock.now() + lifeSeconds * 1000).toISOString() } };
		};
		const tokens = new Tokens({ create } as unknown as Client, clock);
		const { signal } = new AbortController();
		t.is(await tokens.token(pod, '', lifeSeconds, signal), 'token-1');
		await clock.advance(waitSeconds * 1000);
		t.is(await tokens.token(pod, '', lifeSeconds, signal).catch(() => 'error'), want);
	});

test('of a pod that is gone no token is kept, with whatever life', async (t) => {
	let count = 0;
	const tokens = new Tokens({ create: async () => ({ status: { token: `token-${++count}` } }) } as unknown as Client, new VirtualClock());
	const { signal } = new AbortController();
	const other: Pod = { ...pod, metadata: { ...pod.metadata, uid: 'u2' } };
	const all = (): Promise<readonly string[]> =>
		Promise.all([pod, pod, other].map(async (p, i) => (await tokens.held(p, 'a', i === 1 ? undefined : 3600, signal)).token));
	t.deepEqual(await all(), ['token-1', 'token-2', 'token-3']);
	tokens.forget('u');
	t.deepEqual(await all(), ['token-4', 'token-5', 'token-3']);
});

for (const [volumeStatsAggPeriod, walks] of [
	['1m', 1],
	['-1s', 1],
	['500ms', 2],
] as const)
	test(`what volumes hold is read once for all who ask together, and kept a while: every ${volumeStatsAggPeriod}`, async (t) => {
		const { node } = await playing();
		await using _ = node;
		node.configure(settingsOf({ volumeStatsAggPeriod }));
		let [walked, now] = [0, 0];
		// Asked once a walk of a volume that has no figures.
		const csi = Object.assign(Object.create(node.context.csi) as AgentContext['csi'], { placeOf: () => void walked++ });
		const clock = Object.assign(Object.create(node.clock) as VirtualClock, { now: () => now });
		const pod: Pod = { metadata: { uid: 'u' }, spec: { containers: [], volumes: [{ name: 'v', hostPath: { path: '/' } }] } };
		const stats = new VolumeStats({ ...node.context, csi, clock }, () => [pod], NEVER);
		const first = stats.all(NEVER);
		now += 3_600_000;
		await Promise.all([first, stats.all(NEVER)]);
		t.is(walked, 1, 'who comes later waits for the walk under way, however long it takes');
		now += 3_600_000;
		walked = 0;
		await stats.all(NEVER);
		now += 30_000;
		await stats.all(NEVER);
		t.is(walked, walks);
	});
