/** Group snapshots of plain folders: all members or none, whatever fails in between. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { mountCommands } from '../../host/mounter.ts';
import { csiFolder, csiOptionsIn } from '../../test/tools/csi-folder.ts';
import type { Context } from '../context.ts';
import { createContext } from '../driver.ts';
import { idOf, memberId } from '../ids.ts';
import { RecordFolders } from '../records/record-folders.ts';
import type { SnapshotRecord, VolumeRecord } from '../records/records.ts';
import { recoverController } from '../recover.ts';
import { DirectoryBackend } from '../backends/directory.ts';
import type { Step } from '../steps.ts';
import { createGroupSnapshot, deleteGroupSnapshot } from './group-handlers.ts';

const noMoments = { step: () => Promise.resolve() };
const { signal } = new AbortController();

/** Two volumes, and a driver that is told of its steps. */
async function twoVolumes(
	t: ExecutionContext,
	done: (step: Step) => Promise<void>,
): Promise<{ context: Context; dir: string; ids: string[] }> {
	const dir = await csiFolder(t);
	const made = await createContext(csiOptionsIn(dir, 'all'), { clock: realClock, log: noLog, metrics: createMetrics(), steps: { done } });
	const context: Context = { ...made, backends: { ...made.backends, available: [new DirectoryBackend(mountCommands)] } };
	await recoverController(context);
	const ids = ['one', 'two'].map((name) => idOf('vol', name)).toSorted();
	for (const id of ids) {
		const facts = {
			backend: 'directory',
			access: 'mount',
			sizeBytes: 1,
			createdAtMs: 0,
			parameters: {},
			mutableParameters: {},
			publications: [],
		} as const;
		const volume: VolumeRecord = { ...facts, id, name: id };
		await context.volumes.create(volume, { fill: (folder) => new DirectoryBackend(mountCommands).make(folder, volume) }, noMoments);
	}
	return { context, dir, ids };
}

for (const [name, at, nth] of [
	['before any copy', 'CreateVolumeGroupSnapshot: frozen', 1],
	['between two copies', 'CreateVolumeGroupSnapshot: copied', 1],
	['after the last', 'CreateVolumeGroupSnapshot: copied', 2],
	['with all members there and no group yet', 'CreateVolumeGroupSnapshot: members committed', 1],
] as const)
	test(`a failure ${name} leaves no member, and the next try has all of them`, async (t) => {
		let times = 0;
		let failing = true;
		const failure = new Error('failed');
		const { context, dir, ids } = await twoVolumes(t, async (step) => {
			if (failing && step === at && ++times === nth) throw failure;
		});
		const request = { name: 'group', sourceVolumeIds: ids, secrets: {}, parameters: {} };
		await t.throwsAsync(createGroupSnapshot(context, request, signal), { is: failure });
		t.deepEqual([await readdir(join(dir, 'pool/snapshots')), context.snapshots.all()], [[], []]);
		failing = false;
		const { groupSnapshot } = await createGroupSnapshot(context, request, signal);
		t.is(groupSnapshot?.snapshots.length, 2);
		t.is((await readdir(join(dir, 'pool/snapshots'))).length, 2);
	});

test('one member that cannot be copied ends the others, and is told', async (t) => {
	const { context, dir, ids } = await twoVolumes(t, () => Promise.resolve());
	await rm(join(context.volumes.dir(ids[1] ?? ''), 'data'), { recursive: true });
	const request = { name: 'group', sourceVolumeIds: ids, secrets: {}, parameters: {} };
	await t.throwsAsync(createGroupSnapshot(context, request, signal), { message: /No such file/ });
	t.deepEqual(await readdir(join(dir, 'pool/snapshots')), []);
});

test('members of a group whose data cannot be removed: the driver starts, and the group is not told as deleted until they are', async (t) => {
	const dir = await csiFolder(t);
	const made = await createContext(csiOptionsIn(dir, 'all'), { clock: realClock, log: noLog, metrics: createMetrics() });
	const root = join(dir, 'pool/snapshots');
	let full = true;
	const snapshots = new RecordFolders<SnapshotRecord>(
		root,
		(data) => (full && data.includes('/.gone-') ? Promise.reject(new Error('full')) : Promise.resolve()),
		{ clock: realClock, log: noLog, remake: () => Promise.resolve() },
	);
	const context = { ...made, snapshots };
	await recoverController(context);
	const [group, orphaned] = ['kept', 'never'].map((name) => idOf('group', name));
	for (const groupId of [group, orphaned]) {
		const facts = { backend: 'directory', access: 'mount', sizeBytes: 1, name: 'name', createdAtMs: 0, volumeId: 'vol' } as const;
		await snapshots.create({ ...facts, id: memberId(groupId ?? '', 'vol'), groupId }, { fill: () => Promise.resolve() }, noMoments);
	}
	const [member = ''] = snapshots.all().flatMap(({ id, groupId }) => (groupId === group ? [id] : []));
	await made.groups.create(
		{ id: group ?? '', name: 'kept', createdAtMs: 0, snapshotIds: [member] },
		{ fill: () => Promise.resolve() },
		noMoments,
	);
	await recoverController(context);
	const asked = { groupSnapshotId: group ?? '', snapshotIds: [], secrets: {} };
	const remove = () => deleteGroupSnapshot(context, asked, signal);
	for (let times = 0; times < 2; times++) await t.throwsAsync(remove(), { message: 'full' });
	full = false;
	await remove();
	t.deepEqual([await readdir(join(dir, 'pool/groups')), await readdir(root)], [[], [`.gone-${memberId(orphaned ?? '', 'vol')}`]]);
});
