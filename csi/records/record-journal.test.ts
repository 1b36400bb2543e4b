/** What was acknowledged is there after a power failure: folders of which the disk has nothing, or what was before, and a journal that is whole. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, rmdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { noLog, type Fields, type Log } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { RecordFolders } from './record-folders.ts';

interface R {
	readonly id: string;
	readonly n: number;
}
const moments = { step: () => Promise.resolve() };
const empty = { fill: (dir: string) => writeFile(join(dir, 'data'), ''), again: true };

class Disk {
	readonly dir: string;
	readonly clock = new VirtualClock();
	readonly discarded: string[] = [];
	/** Of the next warning. */
	readonly warned = Promise.withResolvers<Fields>();
	readonly log: Log = { ...noLog, warn: (_message, fields = {}) => this.warned.resolve(fields) };
	/** Whether data can be made again. */
	remakes = true;

	static async make(t: ExecutionContext): Promise<Disk> {
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-csi-journal-'));
		t.teardown(() => rm(dir, { recursive: true, force: true }));
		return new Disk(dir);
	}

	private constructor(dir: string) {
		this.dir = dir;
	}

	/** The driver as it starts, with the number of folders it had to leave. */
	async start(): Promise<RecordFolders<R>> {
		const discard = async (dir: string, record?: Partial<R>): Promise<void> => void this.discarded.push(`${dir.slice(-6)} ${record?.n}`);
		const remake = (dir: string, { n }: R): Promise<void> =>
			this.remakes ? writeFile(join(dir, 'data'), `again ${n}`) : Promise.reject(new Error('full'));
		const folders = new RecordFolders<R>(join(this.dir, 'volumes'), discard, { clock: this.clock, log: this.log, remake });
		await folders.load();
		return folders;
	}

	/** All that is not in the journal is lost but for what `work` found. */
	async loses(work: () => Promise<void>): Promise<void> {
		await rm(join(this.dir, 'before'), { recursive: true, force: true });
		await cp(join(this.dir, 'volumes'), join(this.dir, 'before'), { recursive: true });
		await work();
		await rm(join(this.dir, 'volumes'), { recursive: true });
		await cp(join(this.dir, 'before'), join(this.dir, 'volumes'), { recursive: true });
	}

	async data(id: string): Promise<string> {
		return readFile(join(this.dir, 'volumes', id, 'data'), 'utf8');
	}
}

const told = (folders: RecordFolders<R>): readonly string[] => folders.all().map(({ id, n }) => `${id}${n}`);

test('what was made, changed and removed is so after a power failure; what was settled is not made again', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	for (const id of ['changed', 'gone', 'kept']) await first.create({ id, n: 1 }, empty, moments);
	for (const id of ['changed', 'gone', 'kept']) await first.settle(id);
	await writeFile(join(disk.dir, 'volumes/kept/data'), 'used');
	await disk.loses(async () => {
		await first.create({ id: 'made', n: 1 }, empty, moments);
		await first.updateForSelf({ id: 'made', n: 2 });
		await first.update({ id: 'changed', n: 2 });
		await first.updateForSelf({ id: 'changed', n: 3 });
		await first.updateForSelf({ id: 'kept', n: 2 });
		await first.update({ id: 'gone', n: 2 });
		await first.remove('gone', moments);
	});
	const second = await disk.start();
	t.deepEqual(told(second), ['changed3', 'kept2', 'made2']);
	t.deepEqual([await disk.data('made'), await disk.data('kept')], ['again 2', 'used']);
	t.deepEqual((await readdir(join(disk.dir, 'volumes'))).toSorted(), ['changed', 'kept', 'made']);
	t.is(disk.discarded.at(-1), 'e-gone 2', 'removed as its last record says');
	t.deepEqual(told(await disk.start()), told(second));
});

test('a record that the disk has no more than the name of is written again, and a folder half made is made anew', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	for (const id of ['a', 'b']) await first.create({ id, n: 1 }, empty, moments);
	await truncate(join(disk.dir, 'volumes/a/record.json'));
	await rm(join(disk.dir, 'volumes/b'), { recursive: true });
	await cp(join(disk.dir, 'volumes/a'), join(disk.dir, 'volumes/.new-b'), { recursive: true });
	t.deepEqual(told(await disk.start()), ['a1', 'b1']);
	t.is(await disk.data('b'), 'again 1');
	t.false(existsSync(join(disk.dir, 'volumes/.new-b')));
});

test('an id that comes again is not taken for the one before; entries that are torn or of before are none', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	await first.create({ id: 'a', n: 1 }, empty, moments);
	await first.remove('a', moments);
	await first.create({ id: 'a', n: 2 }, { fill: empty.fill }, moments);
	t.deepEqual(told(await disk.start()), ['a2']);

	const journal = join(disk.dir, 'volumes.journal');
	const second = await disk.start();
	await second.create({ id: 'b', n: 1 }, empty, moments);
	await second.create({ id: 'c', n: 1 }, empty, moments);
	const text = await readFile(journal, 'utf8');
	await writeFile(journal, text.replace('{"id":"c"', '{"id":"d"'));
	for (const id of ['b', 'c']) await rm(join(disk.dir, 'volumes', id), { recursive: true });
	t.deepEqual(told(await disk.start()), ['a2', 'b1']);
	await (await disk.start()).close();
	await rm(join(disk.dir, 'volumes/b'), { recursive: true });
	t.deepEqual(told(await disk.start()), ['a2'], 'what was settled is nobody’s to make again');
	await writeFile(journal, 'something else');
	await t.throwsAsync(disk.start(), { code: 'DataLoss' });
});

test('more entries than the file has room for, from many callers at once; some seconds later all of it is in the folders', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	await first.create({ id: 'a', n: 0 }, empty, moments);
	const text = 'x'.repeat(60_000);
	const change = async (id: string): Promise<void> => {
		for (let n = 1; n <= 4; n++) {
			await first.updateForSelf({ id, n, text } as R);
			await first.update({ id, n: 10 * n, text } as R);
		}
	};
	const ids = ['a', 'b', 'c'];
	for (const id of ids.slice(1)) await first.create({ id, n: 0 }, empty, moments);
	await Promise.all(ids.map(change));
	t.deepEqual(told(await disk.start()), ['a40', 'b40', 'c40']);
	await first.updateForSelf({ id: 'a', n: 30 });
	await disk.clock.advance(5000);
	await first.close();
	t.regex(await readFile(join(disk.dir, 'volumes/a/record.json'), 'utf8'), /"n":30/);
});

test('a journal that cannot be written acknowledges nothing, and what failed is not there', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	const journal = join(disk.dir, 'volumes.journal');
	await symlink('/dev/full', journal);
	await t.throwsAsync(first.create({ id: 'a', n: 1 }, empty, moments), { code: 'ResourceExhausted' });
	t.deepEqual(await readdir(join(disk.dir, 'volumes')), []);
	await first.create({ id: 'b', n: 1 }, { fill: empty.fill }, moments);
	await t.throwsAsync(first.updateForSelf({ id: 'b', n: 2 }), { code: 'ResourceExhausted' });
	await first.remove('b', moments);
	t.deepEqual(await readdir(join(disk.dir, 'volumes')), [], 'a full disk keeps nobody from making room');
	await rm(journal);
	await first.create({ id: 'a', n: 2 }, empty, moments);
	t.deepEqual(told(await disk.start()), ['a2']);
});

test('a file that goes while its folder is synced keeps nothing else from being synced', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	await first.create({ id: 'a', n: 1 }, empty, moments);
	await symlink('nowhere', join(disk.dir, 'volumes/a/.gone'));
	await first.settle('a');
	await first.update({ id: 'a', n: 2 });
	await first.create({ id: 'b', n: 1 }, empty, moments);
	await symlink('nowhere', join(disk.dir, 'volumes/b/.gone'));
	await symlink('zzz', join(disk.dir, 'volumes/b/zzz')); // what cannot be synced
	await t.throwsAsync(first.settle('b'), { code: 'ELOOP' });
});

test('folders that cannot be synced are told of, and what was acknowledged stays in the journal until they can', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	const loop = join(disk.dir, 'volumes/a/loop');
	await disk.loses(async () => {
		await first.create({ id: 'a', n: 1 }, empty, moments);
		await symlink('loop', loop);
		await disk.clock.advance(5000);
		const { journal, error } = await disk.warned.promise;
		t.is(journal, join(disk.dir, 'volumes.journal'));
		t.regex(String(error), /ELOOP/);
	});
	t.deepEqual(told(await disk.start()), ['a1']);
});

test('folders that could not be synced are so once they can be, and no entry need come for it', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	await first.create({ id: 'a', n: 1 }, empty, moments);
	const journal = join(disk.dir, 'volumes.journal');
	const before = await readFile(journal, 'utf8');
	const loop = join(disk.dir, 'volumes/a/loop');
	await symlink('loop', loop);
	await disk.clock.advance(5000);
	await disk.warned.promise;
	await eventually('the next try', async () => disk.clock.pending === 1);
	t.is(await readFile(journal, 'utf8'), before);
	await rm(loop);
	await disk.clock.advance(10_000);
	await eventually('a journal that begins anew', async () => (await readFile(journal, 'utf8')).split(' ')[2] !== before.split(' ')[2]);
	await eventually('nothing left to do', async () => disk.clock.pending === 0);
	t.deepEqual(told(first), ['a1']);
});

test('folders that cannot be synced after a change has failed are told of as well, and not tried again once the driver has ended', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	await first.create({ id: 'a', n: 1 }, empty, moments);
	const record = join(disk.dir, 'volumes/a/record.json');
	await rm(record);
	await mkdir(record); // no other can take its place
	await symlink('loop', join(disk.dir, 'volumes/a/loop'));
	await t.throwsAsync(first.update({ id: 'a', n: 2 }), { code: 'EISDIR' });
	await eventually('the next try', async () => disk.clock.pending === 1);
	await disk.clock.advance(10_000);
	t.regex(String((await disk.warned.promise)['error']), /ELOOP/);
	await eventually('the one after it', async () => disk.clock.pending === 1);
	await t.throwsAsync(first.close(), { code: 'ELOOP' });
	t.is(disk.clock.pending, 0);
});

test('a folder without a record is nobody’s to take: the journal never tells of it', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	const strange = join(disk.dir, 'volumes/strange');
	await mkdir(strange);
	await writeFile(join(strange, 'data'), 'of somebody');
	await t.throwsAsync(first.create({ id: 'strange', n: 1 }, empty, moments), { code: 'FailedPrecondition', message: /strange/ });
	t.false(existsSync(join(disk.dir, 'volumes.journal')), 'or a crash right now would give it to the volume');
	t.deepEqual(await readdir(join(disk.dir, 'volumes')), ['strange']);
	t.deepEqual(await readdir(strange), ['data']);
});

test('what cannot be done again yet is known all the same, keeps no other from being done, and is done before anything else is acknowledged', async (t) => {
	const disk = await Disk.make(t);
	const first = await disk.start();
	for (const id of ['changed', 'gone', 'last']) await first.create({ id, n: 1 }, empty, moments);
	for (const id of ['changed', 'gone', 'last']) await first.settle(id);
	await disk.loses(async () => {
		await first.create({ id: 'made', n: 1 }, empty, moments);
		for (const id of ['changed', 'gone']) await first.update({ id, n: 2 });
		await first.remove('gone', moments);
		await first.updateForSelf({ id: 'last', n: 2 });
	});
	const stands = ['changed', 'gone'].map((id) => join(disk.dir, `volumes/${id}/.record.json.new`)); // in the way
	for (const path of stands) await mkdir(path);
	disk.remakes = false;
	const second = await disk.start();
	t.deepEqual(told(second), ['changed2', 'last2', 'made1'], 'as it was acknowledged');
	t.regex(await readFile(join(disk.dir, 'volumes/last/record.json'), 'utf8'), /"n":2/);
	await t.throwsAsync(second.update({ id: 'made', n: 2 }));
	await t.throwsAsync(second.updateForSelf({ id: 'last', n: 3 }));
	t.false(existsSync(join(disk.dir, 'volumes/made')), 'no folder without its data');
	for (const path of stands) await rmdir(path);
	disk.remakes = true;
	await second.update({ id: 'made', n: 3 });
	t.deepEqual(told(second), ['changed2', 'last2', 'made3']);
	t.is(await disk.data('made'), 'again 1');
	t.deepEqual(told(await disk.start()), told(second));
});
