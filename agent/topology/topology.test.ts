import test from 'ava';
import type { Hint, Hints } from './hint.ts';
import { masksFor } from './mask.ts';
import { mergeHints, type TopologyPolicy } from './merge.ts';

const hint = (nodes: number | undefined, preferred = true): Hint => ({ nodes, preferred });
const node = (id: number, distances: readonly number[] = []) => ({ id, memoryBytes: 0, hugePages: {}, distances });
const NODES = [node(0), node(1)];

for (const [name, policy, given, want, admit] of [
	['nobody cares', 'restricted', [{}, { gpu: undefined }], hint(3), true],
	['one cares', 'restricted', [{ cpu: [hint(2), hint(3, false)] }, {}], hint(2), true],
	['both agree on the lower node', 'restricted', [{ cpu: [hint(1), hint(2)] }, { gpu: [hint(1), hint(2), hint(3, false)] }], hint(1), true],
	['both agree on the one node that both have', 'restricted', [{ cpu: [hint(1), hint(2)] }, { gpu: [hint(2)] }], hint(2), true],
	['they do not agree', 'restricted', [{ cpu: [hint(1)] }, { gpu: [hint(2)] }], hint(3, false), false],
	['they need not agree', 'best-effort', [{ cpu: [hint(1)] }, { gpu: [hint(2)] }], hint(3, false), true],
	[
		'of what is not preferred the narrower',
		'best-effort',
		[{ cpu: [hint(1), hint(3, false)] }, { gpu: [hint(3, false)] }],
		hint(3, false),
		true,
	],
	['one has nothing', 'restricted', [{ cpu: [hint(1)] }, { gpu: [] }], hint(1, false), false],
	['both need two nodes', 'restricted', [{ cpu: [hint(3)] }, { gpu: [hint(3)] }], hint(3), true],
	['two nodes are not one', 'single-numa-node', [{ cpu: [hint(3)] }, { gpu: [hint(3)] }], hint(undefined, false), false],
	['one node for both', 'single-numa-node', [{ cpu: [hint(1), hint(2), hint(3, false)] }, { gpu: [hint(2)] }], hint(2), true],
	['nobody cares, and one node is as good as any', 'single-numa-node', [{}], hint(undefined), true],
	['two kinds of one giver', 'single-numa-node', [{ gpu: [hint(1), hint(2)], nic: [hint(2)] }], hint(2), true],
] satisfies readonly (readonly [string, TopologyPolicy, readonly Hints[], Hint, boolean])[])
	test(`mergeHints(): ${policy}: ${name}`, (t) => {
		t.deepEqual(mergeHints(given, NODES, { policy, preferClosest: false }), { hint: want, admit });
	});

test('mergeHints(): prefer-closest-numa-nodes takes the pair that is near each other', (t) => {
	const rows = [
		[10, 30, 12],
		[30, 10, 30],
		[12, 30, 10],
	];
	const nodes = rows.map((row, id) => node(id, row));
	const given = [{ cpu: [hint(3), hint(5), hint(6), hint(7, false)] }];
	t.is(mergeHints(given, nodes, { policy: 'best-effort', preferClosest: true }).hint.nodes, 5);
	t.is(mergeHints(given, nodes, { policy: 'best-effort', preferClosest: false }).hint.nodes, 3);
});

for (const [name, count, topologyPolicy, memoryPolicy, maxNumaNodes, want] of [
	['none where nothing is chosen, of however many nodes', 40, 'none', 'None', 8, 0],
	['all but the empty one', 3, 'restricted', 'None', 8, 7],
	['all but the empty one for memory', 3, 'none', 'Static', 8, 7],
	['too many', 9, 'best-effort', 'None', 8, /more than 8 NUMA Nodes/],
	['too many for memory', 9, 'none', 'Static', 8, /more than 8 NUMA Nodes/],
	['more than any option allows', 31, 'best-effort', 'None', 64, /more than 30 NUMA Nodes/],
] as const)
	test(`masksFor(): ${name}`, (t) => {
		const nodes = Array.from({ length: count }, (_, id) => node(id));
		const masks = (): number => masksFor(nodes, { topologyPolicy, memoryPolicy, maxNumaNodes }).length;
		if (typeof want === 'number') t.is(masks(), want);
		else t.throws(masks, { message: want });
	});
