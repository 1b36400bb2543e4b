/** Lists of volumes: each entry is made and encoded once, and the answer is the same bytes as without that. */
import test from 'ava';
import { ListVolumesResponse, type VolumeCondition } from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';
import { KEEPING_CONTROLLER_SERVICE, keptEntry } from './kept-entries.ts';

const { responseSerialize } = KEEPING_CONTROLLER_SERVICE.listVolumes;
const context = { options: { driverName: 'local.csi.kubeling.dev' }, poolId: 'pool' } as Parameters<typeof keptEntry>[0];
const well: VolumeCondition = { abnormal: false, message: 'The data is there' };
const missing: VolumeCondition = { abnormal: true, message: 'The data is missing from the pool' };

function record(id: string): VolumeRecord {
	return { id, sizeBytes: 4096, backend: 'directory', publications: [{ nodeId: 'n' }], source: undefined } as unknown as VolumeRecord;
}

test('a list is the same bytes whether its entries are new or kept, whole or a page', (t) => {
	const volumes = [record('vol-a'), record('vol-b')];
	let nowMs = 0;
	const list = (conditions: readonly VolumeCondition[], nextToken: string): ListVolumesResponse => {
		nowMs += 1000;
		return { entries: volumes.map((volume, i) => keptEntry(context, volume, nowMs, () => conditions[i] as VolumeCondition)), nextToken };
	};
	const answers = [list([well, well], ''), list([well, well], 'vol-b'), list([missing, well], ''), list([well, well], '')];
	for (const answer of [...answers, { entries: [], nextToken: '' }])
		t.deepEqual(Uint8Array.from(responseSerialize(answer)), ListVolumesResponse.encode(answer).finish());
	const [first, again, ill, well2] = answers.map((answer) => answer.entries[0]);
	t.is(again, first);
	t.deepEqual(ill?.status?.volumeCondition, missing);
	t.deepEqual(well2, first);
	t.is(answers[2]?.entries[1], answers[0]?.entries[1]);
});

test('a volume that was published since has another entry', (t) => {
	const before = record('vol-a');
	const after = { ...before, publications: [] };
	t.deepEqual(keptEntry(context, before, 0, () => well).status?.publishedNodeIds, ['n']);
	t.deepEqual(keptEntry(context, after, 0, () => well).status?.publishedNodeIds, []);
});

test('the data of a volume is looked at once a second at most', (t) => {
	const volume = record('vol-a');
	const at = (nowMs: number, condition: VolumeCondition) => keptEntry(context, volume, nowMs, () => condition).status?.volumeCondition;
	for (const [nowMs, found, told] of [
		[0, well, well],
		[999, missing, well],
		[1000, missing, missing],
		[1999, well, missing],
		[2000, well, well],
		[2999, missing, well],
		[3000, well, well],
		[3999, missing, well],
	] as const)
		t.deepEqual(at(nowMs, found), told, `at ${nowMs} ms`);
});
