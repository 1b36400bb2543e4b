/** What is to be overwritten when a driver starts: passed over, locked, and gone once it is done. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { stateText } from '../../base/files.ts';
import { noLog, type Log } from '../../base/log.ts';
import { csiFolder } from '../../test/tools/csi-folder.ts';
import { Locks } from '../locks.ts';
import { RecordFolders } from '../records/record-folders.ts';
import { DeferredErasure } from './deferred-erasure.ts';
import { isErased, type Discarded } from './discard.ts';

interface Recorded extends Discarded {
	readonly id: string;
}
const ERASED = { mutableParameters: { secureErase: 'true' } };

for (const [name, record, want] of [
	['one that asks for it', ERASED, true],
	['one that does not', { mutableParameters: {} }, false],
	['a group, which has no data', {}, false],
	['one whose record is lost', undefined, true],
] as const)
	test(`overwritten: ${name}`, (t) => t.is(isErased(record), want));

test('a start passes over what is to be overwritten; it is locked until it is gone, and what fails is told and left', async (t) => {
	const root = join(await csiFolder(t), 'volumes');
	for (const [name, record] of [
		['.gone-a', ERASED],
		['.new-a', undefined],
		['.gone-b', {}],
		['.new-c', ERASED],
	] as const) {
		await mkdir(join(root, name), { recursive: true });
		if (record !== undefined) await writeFile(join(root, name, 'record.json'), stateText(1, { id: name.slice(-1), ...record }));
	}
	const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const told: unknown[] = [];
	const log: Log = { ...noLog, warn: (_message, fields) => void told.push(fields?.['reason']) };
	const erasure = new DeferredErasure(log, async (dir) => {
		if (dir.endsWith('c')) throw new Error('the disk fails');
		if (!dir.endsWith('a')) return;
		begun.resolve();
		await goOn.promise;
	});
	const folders = new RecordFolders<Recorded>(root, erasure.discard.bind(erasure), {
		clock: realClock,
		log,
		remake: () => Promise.resolve(),
	});
	const left = await folders.load();
	t.true(left.every(({ dir }) => erasure.waits(dir)));
	t.deepEqual((await readdir(root)).toSorted(), ['.gone-a', '.new-a', '.new-c']);

	const locks = new Locks();
	erasure.startIsOver(locks);
	const running = erasure.run(new AbortController().signal);
	await begun.promise;
	for (const id of ['a', 'c']) t.throws(() => locks.take(id), { code: 'Aborted' });
	locks.take('b')[Symbol.dispose]();
	goOn.resolve();
	await running;
	t.deepEqual(await readdir(root), ['.new-c']);
	t.deepEqual(told, ['the disk fails']);
	for (const id of ['a', 'c']) locks.take(id)[Symbol.dispose]();
	await erasure.discard(join(root, '.new-a'), ERASED);
});
