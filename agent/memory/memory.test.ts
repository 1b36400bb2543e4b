import test from 'ava';
import type { Mask } from '../topology/mask.ts';
import { bestHint, memoryHints, memoryNodes, podHolds, violates, type MemoryBlock } from './nodes.ts';

const GI = 2 ** 30;
const NODES = memoryNodes(
	[0, 1].map((id) => ({ id, memoryBytes: 10 * GI, hugePages: { 2048: GI }, distances: [] })),
	new Map([[0, { memory: GI }]]),
);
const MASKS: readonly Mask[] = [1, 2, 3];
const block = (nodes: Mask, gi: number, endsFirst = false): MemoryBlock => ({ nodes, bytes: { memory: gi * GI }, endsFirst });

test('memoryNodes(): huge pages are no memory, and what is reserved is not given', (t) => {
	t.deepEqual(NODES, [
		{ id: 0, allocatable: { memory: 8 * GI, 'hugepages-2Mi': GI } },
		{ id: 1, allocatable: { memory: 9 * GI, 'hugepages-2Mi': GI } },
	]);
});

for (const [name, others, own, gi, want] of [
	[
		'one node is preferred',
		[],
		[],
		8,
		[
			[1, true],
			[2, true],
			[3, false],
		],
	],
	['what is too much for one node comes from both', [], [], 12, [[3, true]]],
	['what nobody could have has no hint', [], [], 18, []],
	['a node in use alone joins no pair', [[block(1, 1)]], [], 8, [[2, true]]],
	['nodes of a pair are not used alone', [[block(3, 4)]], [], 4, [[3, false]]],
	['what another has is not free', [[block(2, 5)]], [], 5, [[1, true]]],
	['an init container leaves its memory to the next', [], [block(2, 9, true)], 9, [[2, true]]],
	['a sidecar does not', [], [block(2, 9)], 5, [[1, true]]],
] as const)
	test(`memoryHints(): ${name}`, (t) => {
		const hints = memoryHints(NODES, MASKS, others, own, { memory: gi * GI });
		t.deepEqual(
			hints.map(({ nodes, preferred }) => [nodes, preferred]),
			want.map((pair) => [...pair]),
		);
	});

test('podHolds(): containers that end first share what the longest of them has', (t) => {
	t.is(podHolds([block(1, 3, true), block(1, 5, true), block(1, 2)], 1, 'memory'), 5 * GI);
	t.is(podHolds([block(1, 1), block(1, 5, true), block(1, 2)], 1, 'memory'), 6 * GI);
});

test('bestHint(): preferred, then narrow, then low; of those that hold the given nodes', (t) => {
	const hint = (nodes: Mask, preferred: boolean) => ({ nodes, preferred });
	t.deepEqual(bestHint([hint(3, false), hint(2, true), hint(1, true)]), hint(1, true));
	t.deepEqual(bestHint([hint(3, false), hint(2, true)], 1), hint(3, false));
	t.is(bestHint([hint(2, true)], 1), undefined);
});

test('violates(): groups of nodes are the same or apart', (t) => {
	t.false(violates(3, [3]));
	t.true(violates(3, [1]));
	t.true(violates(1, [3]));
	t.false(violates(1, [2]));
});
