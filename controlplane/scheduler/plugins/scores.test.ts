import test from 'ava';
import type { LabelSelector, Node, Pod, PodSpec } from '../../../api/gen/types.ts';
import { node, noDevices, noStorage, pod } from '../../../test/fakes/scheduling.ts';
import { nodeInfo } from '../node-info.ts';
import { podInfo } from '../pod-info.ts';
import { defaultPlugins } from '../plugins.ts';

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
function scores(plugin: string, p: Pod, nodes: readonly Node[], pods: Readonly<Record<string, readonly Pod[]>> = {}): unknown {
	const infos = nodes.map((n) => nodeInfo(n, (pods[n.metadata.name ?? ''] ?? []).map(podInfo)));
	const found = defaultPlugins(noStorage, noDevices, siblings).scores.find(({ name }) => name === plugin);
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
