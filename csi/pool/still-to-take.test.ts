/** What the pool keeps free: tables, and a pool that is written to at random until nothing more can be. */
import test from 'ava';
import * as fc from 'fast-check';
import type { SnapshotRecord, VolumeRecord } from '../records/records.ts';
import { rootOf, stillToTake, type Holding } from './still-to-take.ts';

const image = { backend: 'loop', sizeBytes: 10 } as VolumeRecord;
const root = { ...image, id: 'r' };
const copy = { ...image, id: 'c', source: { kind: 'snapshot', id: 's' }, root: 'r' } as const;
const snapshot = { backend: 'loop', sizeBytes: 10, id: 's', volumeId: 'r', root: 'r' } as SnapshotRecord;
const holding = <R>(record: R, allocatedBytes: number) => ({ record, allocatedBytes });

for (const [name, volumes, snapshots, apart, shared] of [
	['a volume may be filled', [holding(root, 4)], [], 6, 6],
	['one that holds more than its size (its file system’s own blocks) takes no more', [holding(root, 12)], [], 0, 0],
	['its snapshot is never written; where they share, the volume parts from it', [holding(root, 4)], [holding(snapshot, 4)], 6, 10],
	['however many snapshots there are, it parts once', [holding(root, 4)], [4, 4, 3].map((n) => holding(snapshot, n)), 6, 10],
	['blocks that came after the snapshot are its own', [holding(root, 9)], [holding(snapshot, 4)], 1, 5],
	['a copy may share all it has', [holding(root, 4), holding(copy, 4)], [], 12, 16],
	[
		'a copy’s snapshot may have blocks of the root',
		[holding(root, 4), holding(copy, 6)],
		[holding({ ...snapshot, volumeId: 'c' }, 6)],
		10,
		20,
	],
	[
		'a snapshot of a volume that is gone has blocks of no other root',
		[holding(root, 4)],
		[holding({ ...snapshot, volumeId: 'gone', root: 'gone' }, 4)],
		6,
		6,
	],
	[
		'one of which nothing is known may have anybody’s',
		[holding(root, 4)],
		[holding({ ...snapshot, volumeId: 'gone', root: undefined }, 3)],
		6,
		9,
	],
	[
		'a record of before tells its volume',
		[holding(root, 4), holding({ ...root, id: 'q' }, 4)],
		[holding({ ...snapshot, root: undefined }, 9)],
		12,
		16,
	],
	[
		'subvolumes and folders are not counted by blocks',
		[holding({ ...root, backend: 'btrfs' as const }, 0)],
		[holding({ ...snapshot, backend: 'btrfs' as const }, 0)],
		10,
		10,
	],
] as const)
	test(`room: ${name}`, (t) =>
		t.deepEqual([stillToTake({ volumes, snapshots }, false), stillToTake({ volumes, snapshots }, true)], [apart, shared]));

/** Files of a pool whose copies share blocks; a block that two have is written elsewhere. Each file is its blocks, numbered as the disk has them. */
class Pool {
	readonly volumes = new Map<VolumeRecord, (number | undefined)[]>();
	readonly snapshots = new Map<SnapshotRecord, (number | undefined)[]>();
	#next = 0;

	get usedBytes(): number {
		return new Set([...this.#files()].flat().filter((block) => block !== undefined)).size;
	}
	get keepBytes(): number {
		const held = <R extends VolumeRecord | SnapshotRecord>(files: Map<R, (number | undefined)[]>): Holding<R>[] =>
			[...files].map(([record, blocks]) => holding(record, blocks.filter((block) => block !== undefined).length));
		return stillToTake({ volumes: held(this.volumes), snapshots: held(this.snapshots) }, true);
	}

	write(blocks: (number | undefined)[], at: number): void {
		const now = blocks[at];
		const sharers = [...this.#files()].filter((file) => file.includes(now)).length;
		if (now === undefined || sharers > 1) blocks[at] = this.#next++;
	}

	#files(): (number | undefined)[][] {
		return [...this.volumes.values(), ...this.snapshots.values()];
	}
}

/** What a user may do; numbers choose one of what there is. */
const deed = fc.record({
	what: fc.constantFrom('make', 'write', 'write', 'write', 'snapshot', 'clone', 'restore', 'delete volume', 'delete snapshot'),
	which: fc.nat(100),
	at: fc.nat(100),
});

test('room: whoever keeps so much free can write every volume full, whatever was done before', (t) => {
	let copies = 0;
	fc.assert(
		fc.property(fc.array(deed, { minLength: 20, maxLength: 60 }), (deeds) => {
			const pool = new Pool();
			let made = 0;
			for (const { what, which, at } of deeds) {
				const volume = [...pool.volumes][which % Math.max(1, pool.volumes.size)];
				const taken = [...pool.snapshots][which % Math.max(1, pool.snapshots.size)];
				const id = `v${made++}`;
				if (what === 'make') pool.volumes.set({ ...image, id, sizeBytes: 4 + (at % 4) }, Array.from({ length: 4 + (at % 4) }));
				else if (what === 'write' && volume !== undefined) pool.write(volume[1], at % volume[1].length);
				else if (what === 'snapshot' && volume !== undefined)
					pool.snapshots.set({ ...snapshot, id, volumeId: volume[0].id, root: rootOf(volume[0]) }, [...volume[1]]);
				else if (what === 'clone' && volume !== undefined)
					pool.volumes.set({ ...volume[0], id, source: { kind: 'volume', id: volume[0].id }, root: rootOf(volume[0]) }, [...volume[1]]);
				else if (what === 'restore' && taken !== undefined)
					pool.volumes.set({ ...copy, id, sizeBytes: taken[1].length, root: taken[0].root }, [...taken[1]]);
				else if (what === 'delete volume' && volume !== undefined) pool.volumes.delete(volume[0]);
				else if (what === 'delete snapshot' && taken !== undefined) pool.snapshots.delete(taken[0]);
			}
			const promised = pool.usedBytes + pool.keepBytes;
			copies += pool.volumes.size * pool.snapshots.size;
			for (const [, blocks] of pool.volumes) for (let at = 0; at < blocks.length; at++) pool.write(blocks, at);
			return pool.usedBytes <= promised;
		}),
		{ numRuns: 500, seed: 7 },
	);
	t.true(copies > 500, 'pools with copies were among them');
});
