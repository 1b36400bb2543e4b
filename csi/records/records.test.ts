/** Records, on a folder of their own, and pages of them. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { idOf } from '../ids.ts';
import { NodeRecords, type NodeVolume } from './node-records.ts';
import { pageOf } from './page.ts';
import { RecordFolders } from './record-folders.ts';

const folder = async (t: { teardown(fn: () => Promise<void>): void }): Promise<string> => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-csi-records-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
};
const moments = { step: () => Promise.resolve() };
const nothing = { fill: () => Promise.resolve() };
const plain = { clock: new VirtualClock(), log: noLog, remake: () => Promise.resolve() };

test('pages: a token stays good when its entry goes; one that is none is Aborted', (t) => {
	const all = ['a', 'b', 'c', 'd'].map((name) => ({ id: idOf('vol', name) })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const first = pageOf(all, 'vol', 2, '');
	t.deepEqual(first.entries, all.slice(0, 2));
	const without = all.filter(({ id }) => id !== first.nextToken);
	t.deepEqual(pageOf(without, 'vol', 2, first.nextToken), { entries: all.slice(2), nextToken: '' });
	t.deepEqual(pageOf(all, 'vol', 0, ''), { entries: all, nextToken: '' });
	t.throws(() => pageOf(all, 'vol', 2, 'invalid-token'), { code: 'Aborted' });
	t.throws(() => pageOf(all, 'vol', -1, ''), { code: 'InvalidArgument' });
});

test('records: read back after a restart; what is half made or half removed is swept, with its data', async (t) => {
	const root = join(await folder(t), 'volumes');
	const discarded: string[] = [];
	const open = (): RecordFolders<{ id: string; n: number }> =>
		new RecordFolders(root, async (dir, record) => void discarded.push(`${dir.slice(root.length + 1)} ${record?.n}`), plain);
	const first = open();
	await first.load();
	await first.create({ id: 'b', n: 1 }, { fill: async (dir) => writeFile(join(dir, 'data'), 'x') }, moments);
	await first.create({ id: 'a', n: 2 }, nothing, moments);
	await first.update({ id: 'a', n: 3 });
	await t.throwsAsync(first.create({ id: 'c', n: 4 }, { fill: () => Promise.reject(new Error('full')) }, moments), { message: 'full' });
	t.true(discarded.includes('.new-c 4'), 'what is to be done to half-made data is in its record');
	t.deepEqual(first.all(), [
		{ id: 'a', n: 3 },
		{ id: 'b', n: 1 },
	] as never);
	discarded.length = 0;
	for (const point of ['folder made', 'record written', 'data made'] as const) {
		const reached = Promise.withResolvers<void>();
		const crash = {
			step: (at: string) => {
				if (at !== point) return Promise.resolve();
				reached.resolve();
				return new Promise<void>(() => {});
			},
		};
		first.create({ id: `new at ${point}`, n: 5 }, nothing, crash).catch(() => {});
		await reached.promise;
	}
	await mkdir(join(root, '.gone-d'));
	const second = open();
	await second.load();
	t.deepEqual(
		second.all().map(({ id, n }) => `${id}${n}`),
		['a3', 'b1'],
	);
	t.deepEqual((await readdir(root)).toSorted(), ['a', 'b']);
	t.true(discarded.includes('.new-new at data made 5'));
	await second.remove('b', moments);
	await second.remove('b', moments);
	t.deepEqual(await readdir(root), ['a']);
	t.true(discarded.includes('.gone-b 1'));
});

test('records: data that cannot be removed stays until it can, and keeps nobody from what is there; a folder without a record is nobody’s to remove', async (t) => {
	const root = join(await folder(t), 'volumes');
	let full = true;
	const open = (): RecordFolders<{ id: string }> =>
		new RecordFolders(
			root,
			(dir) => (full && dir.includes('/.gone-') && existsSync(dir) ? Promise.reject(new Error('full')) : Promise.resolve()),
			plain,
		);
	const first = open();
	await first.load();
	for (const id of ['a', 'b', 'c']) await first.create({ id }, nothing, moments);
	for (const id of ['b', 'c']) await t.throwsAsync(first.remove(id, moments), { message: 'full' });
	await t.throwsAsync(first.remove('b', moments), { message: 'full' });
	await mkdir(join(root, 'strange'));

	const second = open();
	t.deepEqual(
		(await second.load()).map(({ dir }) => dir.slice(root.length + 1)),
		['.gone-b', '.gone-c', 'strange'],
	);
	t.deepEqual(second.all() as unknown, [{ id: 'a', version: 1 }]);
	full = false;
	await second.remove('b', moments);
	t.deepEqual((await readdir(root)).toSorted(), ['.gone-c', 'a', 'strange']);
	t.deepEqual((await second.load()).length, 1);
	t.deepEqual((await readdir(root)).toSorted(), ['a', 'strange']);
});

test('node records: what is used, by whom; forgotten once it is not', async (t) => {
	const records = new NodeRecords(await folder(t), 'boot');
	await records.register('node/1.x');
	await records.register('..');
	t.deepEqual(records.nodes().toSorted(), ['..', 'node/1.x']);
	const staged: NodeVolume['staged'] = { path: '/s', capability: { access: { kind: 'block' }, mode: 'SINGLE_NODE_WRITER' } };
	records.put('node/1.x', { id: 'v', staged, targets: [] });
	t.deepEqual(records.get('node/1.x', 'v'), { id: 'v', staged, targets: [], version: 1 } as never);
	t.deepEqual(
		records.usersOf('v').map((u) => u.nodeId),
		['node/1.x'],
	);
	t.is(records.list('node/1.x').length, 1);
	records.put('node/1.x', { id: 'v', targets: [] });
	t.deepEqual(records.usersOf('v'), []);
});

test('node records: a node whose process ended is abandoned; one that cannot be told goes on', async (t) => {
	const [root, boot] = [await folder(t), 'boot'];
	const records = new NodeRecords(root, boot);
	await records.register('node');
	t.false(await records.isAbandoned('node'));
	t.false(await records.isAbandoned('unknown'));
	const file = join(root, boot, 'node/.process.json');
	const served = JSON.parse(await readFile(file, 'utf8')) as { startTicks: number };
	await writeFile(file, JSON.stringify({ ...served, startTicks: served.startTicks - 1 })); // the pid is another's by now
	t.true(await records.isAbandoned('node'));
	await writeFile(file, JSON.stringify({ ...served, startTicks: 0, namespace: 'pid:[1]' }));
	t.false(await records.isAbandoned('node'));
	await records.register('node');
	t.false(await records.isAbandoned('node'));
	t.deepEqual([records.list('node'), records.nodes()], [[], ['node']]);
});

test('node records: what cannot be read is not taken for nothing', async (t) => {
	const file = join(await folder(t), 'file');
	await writeFile(file, '');
	const records = new NodeRecords(file, 'boot');
	t.throws(() => records.nodes(), { code: 'ENOTDIR' });
	t.throws(() => records.usersOf('v'), { code: 'ENOTDIR' });
	t.throws(() => records.list('node'), { code: 'ENOTDIR' });
});
