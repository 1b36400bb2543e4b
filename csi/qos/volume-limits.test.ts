/** When limits are put on groups, and when they are lifted: over folders that stand for the kernel's, at virtual time. */
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createLog, noLog } from '../../base/log.ts';
import { IoGroups } from '../../host/io-groups.ts';
import { backingFileOf, loopDevices } from '../../host/loop.ts';
import { imageIn } from '../backends/loop.ts';
import type { Capability } from '../capability.ts';
import type { Role } from '../options.ts';
import { NodeRecords } from '../records/node-records.ts';
import { RecordFolders } from '../records/record-folders.ts';
import type { VolumeRecord } from '../records/records.ts';
import { VolumeLimits } from './volume-limits.ts';

const NODE = 'node';
const UID = '0f6d3c1e-2b4a-4c5d-8e7f-001122334455';
const OTHER_UID = '0f6d3c1e-2b4a-4c5d-8e7f-001122334466';
const POD = `kubepods/pod${UID}`;
const OTHER_POD = `kubepods/pod${OTHER_UID}`;
const FILES = ['read_bps', 'write_bps', 'read_iops', 'write_iops'].map((name) => `blkio.throttle.${name}_device`);
const WRITES = 'blkio.throttle.write_bps_device';
const INLINE = `inline-${'a'.repeat(40)}`;

const volume = (id: string, limits: Readonly<Record<string, string>>, access: 'mount' | 'block' = 'mount'): VolumeRecord => ({
	id,
	name: id,
	createdAtMs: 0,
	backend: 'loop',
	access,
	sizeBytes: 1 << 20,
	parameters: {},
	mutableParameters: limits,
	publications: [],
});

/** Folders in place of /sys/fs/cgroup (version 1), /sys/block, the pool and the node's records. Files do not answer as the kernel's do: a test empties them. */
class Machine {
	readonly dir: string;
	readonly clock = new VirtualClock(undefined, undefined, settled);
	readonly volumes: RecordFolders<VolumeRecord>;
	readonly inline: RecordFolders<VolumeRecord>;
	readonly nodes: NodeRecords;
	readonly limits: VolumeLimits;
	/** Lines of JSON. */
	readonly logged: string[] = [];
	/** How often all devices were read. */
	listed = 0;
	/** What happens meanwhile. */
	meanwhile: () => void = () => {};

	static async make(t: ExecutionContext, role: Role = 'all', version: 1 | 2 = 1): Promise<Machine> {
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-limits-'));
		t.teardown(() => rm(dir, { recursive: true, force: true }));
		if (version === 2) await put(join(dir, 'cgroup/cgroup.controllers'), 'cpu io memory\n');
		else for (const group of ['', POD, OTHER_POD]) for (const file of FILES) await put(join(dir, 'cgroup/blkio', group, file), '');
		const machine = new Machine(dir, role);
		await machine.nodes.register(NODE);
		return machine;
	}

	private constructor(dir: string, role: Role) {
		this.dir = dir;
		const plain = { clock: this.clock, log: noLog, remake: () => Promise.resolve() };
		this.volumes = new RecordFolders(join(dir, 'volumes'), () => Promise.resolve(), plain);
		this.inline = new RecordFolders(join(dir, 'inline'), () => Promise.resolve(), plain);
		this.nodes = new NodeRecords(join(dir, 'run'), 'boot');
		const { volumes, inline, nodes, clock } = this;
		const groups = IoGroups.open(join(dir, 'cgroup'));
		const log = createLog({ write: (line) => this.logged.push(line) });
		const block = join(dir, 'block');
		const all = (): ReturnType<typeof loopDevices> => {
			this.listed++;
			return loopDevices(block).finally(this.meanwhile);
		};
		const loops = { all, fileOf: (name: string) => backingFileOf(name, block) };
		this.limits = new VolumeLimits({ groups, volumes, inline, nodes, clock, log, role, loops });
	}

	/** Until the test ends. */
	run(t: ExecutionContext): Promise<void> {
		const stop = new AbortController();
		const running = this.limits.run(NODE, stop.signal);
		t.teardown(() => {
			stop.abort();
			return running;
		});
		return settled();
	}

	/** Its record, as a controller in another process writes it. */
	record(record: VolumeRecord): Promise<void> {
		return put(join(this.volumes.dir(record.id), 'record.json'), JSON.stringify({ version: 1, ...record }));
	}

	async device(number: number, image: string, { readOnly = false, autoclear = false } = {}): Promise<void> {
		const of = (file: string): string => join(this.dir, 'block', `loop${number}`, file);
		await put(of('dev'), `7:${number}\n`);
		await put(of('ro'), readOnly ? '1\n' : '0\n');
		await put(of('size'), '8\n');
		await put(of('loop/autoclear'), autoclear ? '1\n' : '0\n');
		await put(of('loop/backing_file'), `${image}\n`);
	}

	detach(number: number): Promise<void> {
		return rm(join(this.dir, 'block', `loop${number}`), { recursive: true });
	}

	use(id: string, access: 'mount' | 'block' = 'mount', uid: string = UID, node = NODE): void {
		const capability: Capability = {
			mode: 'SINGLE_NODE_WRITER',
			access: access === 'block' ? { kind: 'block' } : { kind: 'mount', flags: [], fsType: undefined, group: undefined },
		};
		const path = `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~csi/${id}/mount`;
		this.nodes.put(node, { id, staged: { path: '/staging', capability }, targets: [{ path, readonly: false, capability }] });
	}

	forget(id: string): void {
		this.nodes.put(NODE, { id, targets: [] });
	}

	/** One that is limited, with loop device 3, used by a pod. */
	async limited(id: string): Promise<VolumeRecord> {
		const record = volume(id, { writeBytesPerSecond: '4096' });
		await this.record(record);
		await this.device(3, imageIn(this.volumes.dir(id)), { autoclear: true });
		this.use(id);
		return record;
	}

	/** What was written of how much may be written; no group: the root's, for the kernel's own writing. */
	async written(group = ''): Promise<string> {
		return readFile(join(this.dir, 'cgroup/blkio', group, WRITES), 'utf8');
	}

	/** What stands there. */
	async stands(text: string, group = ''): Promise<void> {
		await writeFile(join(this.dir, 'cgroup/blkio', group, WRITES), text);
	}
}

async function put(path: string, text: string): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, text);
}

/** Files are read and written by threads: until none is at it, and what waited for them has gone on. */
async function settled(): Promise<void> {
	for (let quiet = 0; quiet < 8; quiet++) {
		await new Promise((resolve) => setImmediate(resolve));
		if (process.getActiveResourcesInfo().some((what) => /^(?:FS|Close)Req/.test(what))) quiet = 0;
	}
}

/** What the kernel tells of comes when it comes. */
async function settledWhen(holds: () => boolean): Promise<void> {
	while (!holds()) await settled();
}

test('a volume of a pod itself does not inherit what its device was limited to', async (t) => {
	const m = await Machine.make(t);
	await m.device(3, imageIn(m.inline.dir(INLINE)), { autoclear: true });
	await m.stands('7:3 4096\n');
	m.use(INLINE);
	await m.limits.apply(volume(INLINE, {}));
	t.regex(await m.written(), /^7:3 0/);
});

test('a device that only readers had is given back without its rule, and no look puts it back', async (t) => {
	const m = await Machine.make(t);
	const record = volume('vol-a', { writeBytesPerSecond: '4096' }, 'block');
	await m.record(record);
	const image = imageIn(m.volumes.dir(record.id));
	await m.device(3, image, { readOnly: true });
	m.use(record.id, 'block');
	await m.limits.apply(record);
	t.is(await m.written(), '7:3 4096');
	let looked: Promise<void> | undefined;
	await m.limits.releaseReaders(record.id, async () => {
		t.regex(await m.written(), /^7:3 0/);
		await m.stands('');
		looked = m.limits.look([record.id]);
		await m.device(3, image, { readOnly: true, autoclear: true }); // somebody has it open: it goes with that
	});
	await looked;
	t.is(await m.written(), '');
});

test('a rule that cannot be written holds up neither the stage nor other volumes, and is told once, with the volume', async (t) => {
	const m = await Machine.make(t);
	const [bad, good] = ['vol-bad', 'vol-good'].map((id) => volume(id, { writeBytesPerSecond: '4096' })) as [VolumeRecord, VolumeRecord];
	for (const [number, record, uid] of [
		[3, bad, UID],
		[4, good, OTHER_UID],
	] as const) {
		await m.record(record);
		await m.device(number, imageIn(m.volumes.dir(record.id)), { autoclear: true });
		m.use(record.id, 'mount', uid);
	}
	const file = join(m.dir, 'cgroup/blkio', POD, WRITES);
	await rm(file);
	await mkdir(file); // what no rule can be written to
	await m.limits.apply(bad);
	await m.limits.look([bad.id, good.id]);
	await m.limits.look([bad.id, good.id]);
	t.is(await m.written(OTHER_POD), '7:4 4096');
	t.deepEqual([/EISDIR/.test(m.limits.notKept(bad.id) ?? ''), m.limits.notKept(good.id)], [true, undefined]);
	t.deepEqual(
		m.logged.map((line) => JSON.parse(line) as { volume: string }).map((line) => line.volume),
		[bad.id],
	);
	await t.throwsAsync(m.limits.apply(bad, { modified: true }), { message: /EISDIR/ });
	await rm(file, { recursive: true });
	await put(file, '');
	await m.limits.look([bad.id]);
	t.is(await m.written(POD), '7:3 4096');
	t.is(m.limits.notKept(bad.id), undefined);
	await rm(file);
	await mkdir(file);
	await m.limits.look([bad.id]);
	t.regex(m.limits.notKept(bad.id) ?? '', /EISDIR/);
	await rm(file, { recursive: true });
	await put(file, '');
	await m.limits.apply({ ...bad, mutableParameters: {} }, { modified: true });
	t.is(m.limits.notKept(bad.id), undefined, 'what is not limited any more keeps no condition');
});

test('nothing wakes while nothing is limited; then a look reads the devices once for all volumes', async (t) => {
	const m = await Machine.make(t);
	await m.run(t);
	t.is(m.clock.pending, 0);
	const records = ['vol-a', 'vol-b', 'vol-c'].map((id) => volume(id, { writeBytesPerSecond: '4096' }));
	for (const [at, record] of records.entries()) {
		await m.record(record);
		await m.device(at, imageIn(m.volumes.dir(record.id)), { autoclear: true });
		m.use(record.id);
		await m.limits.apply(record);
	}
	await m.stands('', POD); // the containers begin anew
	m.listed = 0;
	await m.clock.advance(1000);
	t.is(m.listed, 1);
	t.regex(await m.written(POD), /4096$/);
	for (const { id } of records) await m.limits.lift(id);
	await m.clock.advance(1000);
	t.is(m.clock.pending, 0);
});

test('version 2: looks end once each pod has its group, and begin again with the next one that publishes', async (t) => {
	const m = await Machine.make(t, 'all', 2);
	const limitOf = (pod: string): Promise<string> => readFile(join(m.dir, 'cgroup', pod, 'io.max'), 'utf8');
	await m.run(t);
	const { id } = await m.limited('vol-a');
	await m.limits.apply(volume(id, { writeBytesPerSecond: '4096' }));
	await m.clock.advance(5000);
	t.is(m.clock.pending, 1, 'the pod has no group yet');
	await put(join(m.dir, 'cgroup', POD, 'io.max'), '');
	await m.clock.advance(1000);
	t.is(await limitOf(POD), '7:3 rbps=max wbps=4096 riops=max wiops=max');
	t.is(m.clock.pending, 0);
	m.use(id, 'mount', OTHER_UID);
	await m.limits.published(id);
	await m.clock.advance(1000);
	await put(join(m.dir, 'cgroup', OTHER_POD, 'io.max'), '');
	await m.clock.advance(1000);
	t.is(await limitOf(OTHER_POD), await limitOf(POD));
	t.is(m.clock.pending, 0);
	await m.limits.published('vol-b'); // which nobody limits
	t.is(m.clock.pending, 0);
});

test('version 1: looks end once each pod has its groups, and a container that comes later begins them again', async (t) => {
	const m = await Machine.make(t);
	await m.run(t);
	const record = await m.limited('vol-a');
	await m.limits.apply(record);
	await m.clock.advance(5000);
	t.is(m.clock.pending, 0);
	for (const container of ['first', 'second', 'second/nested']) {
		for (const file of FILES) await put(join(m.dir, 'cgroup/blkio', POD, container, file), '');
		await settledWhen(() => m.clock.pending === 1);
		await m.clock.advance(5000);
		t.is(await m.written(join(POD, container)), '7:3 4096');
		t.is(m.clock.pending, 0);
	}
	await rm(join(m.dir, 'cgroup/blkio', POD, 'first'), { recursive: true });
	await settledWhen(() => m.clock.pending === 1);
	await m.clock.advance(5000);
	t.is(m.clock.pending, 0);
	await m.limits.lift(record.id);
	await rm(join(m.dir, 'cgroup/blkio', POD), { recursive: true });
	await settled();
	t.is(m.clock.pending, 0, 'what is lifted is not watched');
});

test('what is forgotten while a look is at it gets no rule for what the kernel writes', async (t) => {
	const m = await Machine.make(t);
	const { id } = await m.limited('vol-a');
	m.meanwhile = () => m.forget(id); // by the node service, which is another process
	await m.limits.look([id]);
	t.is(await m.written(), '');
});

test('a device that became another volume’s while a look is at it gets no rule of the first', async (t) => {
	const m = await Machine.make(t);
	const { id } = await m.limited('vol-a');
	m.meanwhile = () => writeFileSync(join(m.dir, 'block/loop3/loop/backing_file'), '/elsewhere\n');
	await m.limits.look([id]);
	t.deepEqual([await m.written(), await m.written(POD)], ['', '']);
});

test('a volume that was lifted here and forgotten is limited for the next node that stages it', async (t) => {
	const m = await Machine.make(t);
	const record = await m.limited('vol-a');
	await m.limits.apply(record);
	await m.limits.lift(record.id);
	m.forget(record.id);
	await m.limits.lift('vol-b');
	await m.nodes.register('second');
	m.use(record.id, 'mount', OTHER_UID, 'second');
	await m.limits.look([record.id]);
	t.is(await m.written(OTHER_POD), '7:3 4096');
});

test('NodeUnstageVolume: unmounted: what was lifted stays so until the next stage, however often is looked', async (t) => {
	const m = await Machine.make(t, 'node');
	const record = await m.limited('vol-a');
	await m.run(t);
	t.is(await m.written(), '7:3 4096');
	await m.limits.lift(record.id);
	t.regex(await m.written(), /^7:3 0/);
	await m.stands('');
	await m.clock.advance(2 * 30_000); // the record stands, and somebody still has the device
	t.is(await m.written(), '');
	await m.limits.apply(record);
	t.is(await m.written(), '7:3 4096');
});

test('a node service finds within half a minute what a controller in another process limited', async (t) => {
	const m = await Machine.make(t, 'node');
	const record = await m.limited('vol-a');
	await m.record({ ...record, mutableParameters: {} });
	await m.run(t);
	t.is(await m.written(POD), '');
	await m.record(record);
	await m.clock.advance(30_000);
	t.is(await m.written(POD), '7:3 4096');
});

test('a node service with nothing staged does not look for what others limited, until something is', async (t) => {
	const m = await Machine.make(t, 'node');
	await m.run(t);
	t.is(m.clock.pending, 0);
	const record = await m.limited('vol-a');
	await m.record({ ...record, mutableParameters: {} });
	await m.limits.apply({ ...record, mutableParameters: {} });
	await settled();
	t.is(m.clock.pending, 1);
	await m.record(record);
	await m.clock.advance(30_000);
	t.is(await m.written(POD), '7:3 4096');
	await m.limits.lift(record.id);
	m.forget(record.id);
	await m.clock.advance(60_000);
	t.is(m.clock.pending, 0);
});

test('a limit that finds no group of its pod is told once, after half a minute, and again only once it was kept', async (t) => {
	const m = await Machine.make(t);
	const record = await m.limited('vol-a');
	await m.run(t);
	const group = join(m.dir, 'cgroup/blkio', POD);
	await rm(group, { recursive: true });
	await m.clock.advance(20_000);
	t.deepEqual([m.logged, m.limits.notKept(record.id)], [[], undefined]); // its containers may be about to come
	await m.clock.advance(60_000);
	t.is(m.logged.length, 1);
	t.like(JSON.parse(m.logged[0] ?? ''), { volume: record.id, pods: [UID] });
	t.is(m.limits.notKept(record.id), 'no control group limits the input and output of pods');
	for (const file of FILES) await put(join(group, file), '');
	await m.clock.advance(1000);
	t.is(await m.written(POD), '7:3 4096');
	t.deepEqual([m.logged.length, m.limits.notKept(record.id)], [1, undefined]);
	for (const file of FILES) await rm(join(group, file)); // a group, and nothing to limit it by
	await m.clock.advance(60_000);
	t.is(m.logged.length, 2);
});
