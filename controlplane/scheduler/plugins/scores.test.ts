import test from 'ava';
import type { LabelSelector, Node, Pod, PodSpec } from '../../../api/gen/types.ts';
import { defaultPlugins, node, noDevices, noStorage, pod } from '../../../test/fakes/scheduling.ts';
import { nodeInfo } from '../node-info.ts';
import { DEFAULT_ARGS, type PluginArgs, type ScoringStrategy } from '../plugin-args.ts';
import { podInfo } from '../pod-info.ts';

const GI = 1024 ** 3;
const asking = (cpu: string, memory: string): Partial<PodSpec> => ({
	containers: [{ name: 'c', image: 'img', resources: { requests: { cpu, memory } } }],
});
const web = { app: 'web' };
const siblings = (one: Pod): LabelSelector | undefined => (one.metadata.labels?.['app'] === 'web' ? { matchLabels: web } : undefined);
const zone = (name: string): { labels: Record<string, string> } => ({ labels: { 'topology.kubernetes.io/zone': name } });
const mounting = (reference: string): Partial<PodSpec> => ({ volumes: [{ name: 'v', image: { reference } }] });
const having = (name: string, sizeBytes: number) => ({ images: [{ names: [name], sizeBytes }] });

/** What one plugin gives each node, scaled. */
function scores(
	plugin: string,
	p: Pod,
	nodes: readonly Node[],
	pods: Readonly<Record<string, readonly Pod[]>> = {},
	args: Partial<PluginArgs> = {},
): unknown {
	const infos = nodes.map((n) => nodeInfo(n, (pods[n.metadata.name ?? ''] ?? []).map(podInfo)));
	const found = defaultPlugins(noStorage, noDevices, siblings, args).scores.find(({ name }) => name === plugin);
	const score = found?.prepare(podInfo(p), { nodes: infos, namespaceLabels: () => ({}) }, infos);
	if (typeof score !== 'function') return score;
	const raw = infos.map(score);
	return found?.normalize?.(raw) ?? raw;
}

for (const [rule, plugin, p, nodes, pods, want] of [
	[
		'what the pod brings out of balance, or back into it',
		'NodeResourcesBalancedAllocation',
		pod('a', asking('1', '0')),
		[node('n1'), node('n2')],
		{ n2: [pod('x', asking('0', '2Gi'))] },
		// 1/4 of the cpu: 100 becomes 87; 1/4 of the memory before: 87 becomes 100.
		[68, 81],
	],
	['a pod that asks for nothing', 'NodeResourcesBalancedAllocation', pod('a'), [node('n1')], {}, 'skip'],
	[
		'images of volumes count as those of containers',
		'ImageLocality',
		pod('a', mounting('data:1')),
		[node('n1', having('data:1', GI)), node('n2')],
		{},
		[50, 0],
	],
	[
		'pods of one service or set are spread over nodes without being asked to',
		'PodTopologySpread',
		pod('a', {}, web),
		[node('n1'), node('n2')],
		{ n1: [pod('x', {}, web), pod('y', {}, web)] },
		[40, 100],
	],
	[
		'and over zones; nodes of no zone are spread over too',
		'PodTopologySpread',
		pod('a', {}, web),
		[node('n1', zone('a')), node('n2', zone('a')), node('n3', zone('b')), node('n4')],
		{ n1: [pod('x', {}, web)] },
		[22, 33, 55, 100],
	],
	['a pod that nothing goes with', 'PodTopologySpread', pod('a'), [node('n1'), node('n2')], {}, 'skip'],
] as const)
	test(`${plugin} scores: ${rule}`, (t) => {
		t.deepEqual(scores(plugin, p, nodes, pods), want);
	});

/** NodeResourcesFit of a pod of 1 cpu on nodes of 4 with 0 and 2 in use, memory out of the question. */
const cpuOnly = [{ name: 'cpu', weight: 1 }];
for (const [strategy, want] of [
	[{ type: 'LeastAllocated', resources: cpuOnly }, [75, 25]],
	[{ type: 'MostAllocated', resources: cpuOnly }, [25, 75]],
	[
		{
			type: 'MostAllocated',
			resources: [
				{ name: 'cpu', weight: 3 },
				{ name: 'memory', weight: 1 },
			],
		},
		[18, 56],
	],
	[{ type: 'MostAllocated', resources: [{ name: 'example.com/gpu', weight: 1 }] }, [0, 0]],
	[
		{
			type: 'RequestedToCapacityRatio',
			resources: cpuOnly,
			shape: [
				{ utilization: 0, score: 0 },
				{ utilization: 50, score: 10 },
				{ utilization: 100, score: 0 },
			],
		},
		[50, 50],
	],
	[
		{
			type: 'RequestedToCapacityRatio',
			resources: cpuOnly,
			shape: [
				{ utilization: 50, score: 3 },
				{ utilization: 70, score: 8 },
			],
		},
		[30, 80],
	],
] as const satisfies readonly (readonly [ScoringStrategy, readonly number[]])[])
	test(`NodeResourcesFit scores: ${JSON.stringify(strategy)}`, (t) => {
		const args = { NodeResourcesFit: { ...DEFAULT_ARGS.NodeResourcesFit, scoringStrategy: strategy } };
		const pods = { n2: [pod('x', asking('2', '0'))] };
		t.deepEqual(scores('NodeResourcesFit', pod('a', asking('1', '0')), [node('n1'), node('n2')], pods, args), want);
	});

test('NodeResourcesBalancedAllocation scores: of three resources by their standard deviation', (t) => {
	const resources = ['cpu', 'memory', 'pods'].map((name) => ({ name, weight: 1 }));
	const one = [node('n1')];
	// 1/4 of the cpu and 1/8 of the memory in use of two that count: pods are asked for by nobody.
	t.deepEqual(
		scores('NodeResourcesBalancedAllocation', pod('a', asking('1', '1Gi')), one, {}, { NodeResourcesBalancedAllocation: { resources } }),
		[71],
	);
});

for (const [weight, ignores, want] of [
	[1, false, [0, 100]],
	[0, false, 'skip'],
	[1, true, 'skip'],
] as const)
	test(`InterPodAffinity scores: required affinity of others by ${weight}, ignored where the pod has no wishes: ${ignores}`, (t) => {
		const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: web } };
		const wanting = pod('x', { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
		const args = { InterPodAffinity: { hardPodAffinityWeight: weight, ignorePreferredTermsOfExistingPods: ignores } };
		t.deepEqual(scores('InterPodAffinity', pod('a', {}, web), [node('n1'), node('n2')], { n2: [wanting] }, args), want);
	});

test('NodeAffinity scores: what the profile prefers counts beside what the pod does', (t) => {
	const preferred = [{ weight: 5, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } }];
	const args = { NodeAffinity: { addedAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } };
	const nodes = [node('n1'), node('n2', { labels: { disk: 'ssd' } })];
	t.deepEqual(scores('NodeAffinity', pod('a'), nodes, {}, args), [0, 100]);
	t.is(scores('NodeAffinity', pod('a'), nodes), 'skip');
});
