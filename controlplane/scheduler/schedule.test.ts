import test from 'ava';
import type { Node, Pod, PodSpec } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { defaultPlugins as pluginsFor, cpu, node, noDevices, noStorage, pod } from '../../test/fakes/scheduling.ts';
import { fitMessage, triedInstead } from './fit-message.ts';
import type { Snapshot } from './framework.ts';
import { nodeInfo } from './node-info.ts';
import { DEFAULT_ARGS } from './plugin-args.ts';
import { podInfo } from './pod-info.ts';
import { choosePreemption } from './preemption.ts';
import { SchedulingQueue } from './queue.ts';
import { enoughNodes, schedule, type Unfit } from './schedule.ts';

const defaultPlugins = pluginsFor(noStorage, noDevices);

const ports = (port: number, hostIP?: string): Partial<PodSpec> => ({
	containers: [{ name: 'c', image: 'img', ports: [{ containerPort: 80, hostPort: port, ...(hostIP === undefined ? {} : { hostIP }) }] }],
});
const away = (app: string, topologyKey = 'kubernetes.io/hostname'): Partial<PodSpec> => ({
	affinity: {
		podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }] },
	},
});
const near = (app: string, topologyKey = 'zone'): Partial<PodSpec> => ({
	affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }] } },
});
const spread = (maxSkew: number, topologyKey = 'zone'): Partial<PodSpec> => ({
	topologySpreadConstraints: [{ maxSkew, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'web' } } }],
});

function snapshot(nodes: readonly Node[], pods: Readonly<Record<string, readonly Pod[]>> = {}): Snapshot {
	return {
		nodes: nodes.map((n) => nodeInfo(n, (pods[n.metadata.name ?? ''] ?? []).map(podInfo))),
		namespaceLabels: () => ({}),
	};
}

/** The chosen node, or the message. */
function outcome(p: Pod, s: Snapshot): string {
	const decision = schedule(podInfo(p), s, defaultPlugins, () => 0);
	if ('node' in decision) return decision.node;
	const preemption = choosePreemption(podInfo(p), decision.unfit, s, defaultPlugins.filters, []);
	const count = s.nodes.length;
	return fitMessage(decision.unfit, count, triedInstead(['DynamicResources', 'DefaultPreemption'], decision.unfit, count, preemption));
}

const unavailable = (reasons: string, preemption: string, n = 1): string =>
	`0/${n} nodes are available: ${reasons}. no new claims to deallocate, preemption: 0/${n} nodes are available: ${preemption}.`;
const HELPLESS = '1 Preemption is not helpful for scheduling';
const VICTIMLESS = '1 No preemption victims found for incoming pod';
const RESTARTS = 'RestartAllContainersOnContainerExits';
const restartsAll: Partial<PodSpec> = {
	initContainers: [
		{
			...{ name: 'i', image: 'img', restartPolicy: 'Never' },
			restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
		},
	],
};
const declaring = (name: string, feature: string): Node => {
	const made = node(name);
	return { ...made, status: { ...made.status, declaredFeatures: [feature] } };
};
const web = { app: 'web' };
const zone = (name: string): { labels: Record<string, string> } => ({ labels: { zone: name } });

for (const [name, p, s, want] of [
	['a fitting node', pod('a'), snapshot([node('n1')]), 'n1'],
	['no nodes at all', pod('a'), snapshot([]), 'no nodes available to schedule pods'],
	['a node that declares what the pod needs', pod('a', restartsAll), snapshot([node('n1'), declaring('n2', RESTARTS)]), 'n2'],
	[
		'nodes that declare something else',
		pod('a', restartsAll),
		snapshot([node('n1'), declaring('n2', 'Other')]),
		unavailable("2 node(s) didn't match Pod's required features", '2 Preemption is not helpful for scheduling', 2),
	],
	[
		'users of its own in the network of the host',
		pod('a', { hostNetwork: true, hostUsers: false }),
		snapshot([declaring('n1', RESTARTS), declaring('n2', 'UserNamespacesHostNetworkSupport')]),
		'n2',
	],
	[
		'too little cpu that preemption could free',
		pod('a', cpu('3')),
		snapshot([node('n1')], { n1: [pod('x', cpu('2'))] }),
		unavailable('1 Insufficient cpu', VICTIMLESS),
	],
	['more cpu than the node has', pod('a', cpu('5')), snapshot([node('n1')]), unavailable('1 Insufficient cpu', HELPLESS)],
	[
		'no room for another pod',
		pod('a'),
		snapshot([node('n1', { pods: '1' })], { n1: [pod('x')] }),
		unavailable('1 Too many pods', VICTIMLESS),
	],
	[
		'a cordoned node',
		pod('a'),
		snapshot([node('n1', { spec: { unschedulable: true } })]),
		unavailable('1 node(s) were unschedulable', HELPLESS),
	],
	[
		'a taint',
		pod('a'),
		snapshot([node('n1', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })]),
		unavailable('1 node(s) had untolerated taint(s)', HELPLESS),
	],
	[
		'a tolerated taint',
		pod('a', { tolerations: [{ operator: 'Exists' }] }),
		snapshot([node('n1', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })]),
		'n1',
	],
	[
		'a discouraging taint is avoided',
		pod('a'),
		snapshot([node('n1', { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } }), node('n2')]),
		'n2',
	],
	['a node selector', pod('a', { nodeSelector: { disk: 'ssd' } }), snapshot([node('n1'), node('n2', { labels: { disk: 'ssd' } })]), 'n2'],
	[
		'a node selector nobody meets',
		pod('a', { nodeSelector: { disk: 'ssd' } }),
		snapshot([node('n1')]),
		unavailable("1 node(s) didn't match Pod's node affinity/selector", HELPLESS),
	],
	[
		'preferred node affinity',
		pod('a', {
			affinity: {
				nodeAffinity: {
					preferredDuringSchedulingIgnoredDuringExecution: [
						{ weight: 10, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
					],
				},
			},
		}),
		snapshot([node('n1'), node('n2', { labels: { disk: 'ssd' } })]),
		'n2',
	],
	[
		'a used host port',
		pod('a', ports(80)),
		snapshot([node('n1')], { n1: [pod('x', ports(80, '127.0.0.1'))] }),
		unavailable("1 node(s) didn't have free ports for the requested pod ports", VICTIMLESS),
	],
	[
		'a host port on another address',
		pod('a', ports(80, '10.0.0.1')),
		snapshot([node('n1')], { n1: [pod('x', ports(80, '127.0.0.1'))] }),
		'n1',
	],
	['the emptier node', pod('a', cpu('1')), snapshot([node('n1'), node('n2')], { n1: [pod('x', cpu('2'))] }), 'n2'],
	[
		'a node with the image',
		pod('a', { containers: [{ name: 'c', image: 'big' }] }),
		snapshot([node('n1'), node('n2', { images: [{ names: ['big:latest'], sizeBytes: 900 * 1024 * 1024 }] })]),
		'n2',
	],
	['anti-affinity sends elsewhere', pod('a', away('web')), snapshot([node('n1'), node('n2')], { n1: [pod('x', {}, web)] }), 'n2'],
	[
		'anti-affinity with nowhere else',
		pod('a', away('web')),
		snapshot([node('n1')], { n1: [pod('x', {}, web)] }),
		unavailable("1 node(s) didn't match pod anti-affinity rules", VICTIMLESS),
	],
	[
		"an existing pod's anti-affinity",
		pod('a', {}, web),
		snapshot([node('n1')], { n1: [pod('x', away('web'))] }),
		unavailable("1 node(s) didn't satisfy existing pods anti-affinity rules", VICTIMLESS),
	],
	[
		'affinity finds company in the zone',
		pod('a', near('web')),
		snapshot([node('n1', zone('a')), node('n2', zone('b'))], { n2: [pod('x', {}, web)] }),
		'n2',
	],
	[
		'affinity without company',
		pod('a', near('web')),
		snapshot([node('n1', zone('a'))]),
		unavailable("1 node(s) didn't match pod affinity rules", HELPLESS),
	],
	['the first of its group', pod('a', near('web'), web), snapshot([node('n1', zone('a'))]), 'n1'],
	[
		'spread over zones',
		pod('a', spread(1), web),
		snapshot([node('n1', zone('a')), node('n2', zone('b'))], { n1: [pod('x', {}, web)] }),
		'n2',
	],
	[
		'spread refuses a skew',
		pod('a', { ...spread(1), nodeName: '' }, web),
		snapshot([node('n1', zone('a')), node('n2', { ...zone('b'), spec: { unschedulable: true } })], { n1: [pod('x', {}, web)] }),
		unavailable(
			"1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable",
			'1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling',
			2,
		),
	],
	[
		'spread without the label',
		pod('a', spread(1), web),
		snapshot([node('n1')]),
		unavailable("1 node(s) didn't match pod topology spread constraints (missing required label)", HELPLESS),
	],
] as const)
	test(`schedule(): ${name}`, (t) => t.is(outcome(p, s), want));

for (const [count, want] of [
	[5, 5],
	[99, 99],
	[100, 100],
	[1000, 420],
	[6000, 300],
] as const)
	test(`of ${count} nodes ${want} fitting ones are enough`, (t) => t.is(enoughNodes(count), want));

test('preemption takes the least important pods that make enough room', (t) => {
	const high = pod('high', { ...cpu('3'), priority: 100 });
	const s = snapshot([node('n1'), node('n2')], {
		n1: [pod('a', { ...cpu('2'), priority: 10 }), pod('b', { ...cpu('2'), priority: 5 })],
		n2: [pod('c', { ...cpu('3'), priority: 1 }), pod('d', { ...cpu('1'), priority: 1 })],
	});
	const decision = schedule(podInfo(high), s, defaultPlugins, () => 0);
	if ('node' in decision) return t.fail();
	const chosen = choosePreemption(podInfo(high), decision.unfit, s, defaultPlugins.filters, []);
	const candidate = chosen.type === 'found' ? chosen.candidate : undefined;
	t.is(candidate?.node, 'n2');
	t.deepEqual(
		candidate?.victims.map((v) => v.key),
		['default/c'],
	);
	const never = podInfo(pod('high', { ...cpu('3'), priority: 100, preemptionPolicy: 'Never' }));
	t.deepEqual(choosePreemption(never, decision.unfit, s, defaultPlugins.filters, []), {
		...{ type: 'ineligible', why: 'not eligible due to preemptionPolicy=Never.' },
	});
});

test('preemption where even all that may go are not enough says why, and counts no budget that selects all', (t) => {
	const lower = (name: string, more: object = {}): Pod => ({ ...pod(name, { ...cpu('3'), priority: 1 }), ...more });
	const s = snapshot([node('n1'), node('n2')], { n1: [lower('a')], n2: [pod('b', { ...cpu('4'), priority: 1000 })] });
	const half = snapshot([node('n1'), node('n2')], {
		...{ n1: [pod('a', { ...cpu('1'), priority: 1 }), pod('k', { ...cpu('2'), priority: 1000 })] },
		n2: [pod('b', { ...cpu('4'), priority: 1000 })],
	});
	t.is(
		outcome(pod('big', { ...cpu('3'), priority: 100 }), half),
		unavailable('2 Insufficient cpu', '1 Insufficient cpu, 1 No preemption victims found for incoming pod', 2),
	);
	const high = podInfo(pod('high', { ...cpu('3'), priority: 100 }));
	const decision = schedule(high, s, defaultPlugins, () => 0);
	if ('node' in decision) return t.fail();
	const budget = { metadata: { namespace: 'default', name: 'b' }, spec: { selector: {} }, status: { disruptionsAllowed: 0 } };
	t.like(choosePreemption(high, decision.unfit, s, defaultPlugins.filters, [budget as never]), {
		candidate: { node: 'n1', violations: 0 },
	});
});

test('a pod waits for its victims, and for no other pods that end on its node', (t) => {
	const ending = (conditions: object[]): Pod => {
		const one = pod('v', { ...cpu('3'), priority: 1 });
		return { ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { conditions } as never };
	};
	const high = { ...pod('high', { ...cpu('3'), priority: 100 }), status: { nominatedNodeName: 'n1' } };
	const victim = [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }];
	for (const [conditions, want] of [
		[victim, 'ineligible'],
		[[], 'found'],
	] as const) {
		const s = snapshot([node('n1')], { n1: [ending([...conditions])] });
		const decision = schedule(podInfo(high), s, defaultPlugins, () => 0);
		if ('node' in decision) return t.fail();
		t.is(choosePreemption(podInfo(high), decision.unfit, s, defaultPlugins.filters, []).type, want);
	}
});

test('queue: priority first, then first come', async (t) => {
	const queue = new SchedulingQueue(new VirtualClock());
	for (const [name, priority] of [
		['a', 0],
		['b', 5],
		['c', 0],
		['d', 5],
	] as const)
		queue.put(podInfo(pod(name, { priority })), true);
	const { signal } = new AbortController();
	const order: string[] = [];
	for (let i = 0; i < 4; i++) order.push((await queue.pop(signal)).key);
	t.deepEqual(order, ['default/b', 'default/d', 'default/a', 'default/c']);
});

test('queue: back-off doubles from 1 s to 10 s, events wake only what they may help, five minutes wake all', async (t) => {
	const clock = new VirtualClock();
	const queue = new SchedulingQueue(clock);
	const { signal } = new AbortController();
	const info = podInfo(pod('a'));
	queue.put(info, true);
	await queue.pop(signal);
	queue.refused(info, new Set(['nodeAdded']));
	queue.happened(['podDeleted']);
	t.deepEqual(queue.counts(), { active: 0, backoff: 0, unschedulable: 1 });
	queue.happened(['nodeAdded']);
	t.deepEqual(queue.counts(), { active: 0, backoff: 1, unschedulable: 0 });
	for (const waitMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
		await clock.advance(waitMs - 1);
		t.is(queue.counts().active, 0);
		await clock.advance(1);
		t.is(queue.counts().active, 1);
		await queue.pop(signal);
		queue.refused(info, 'error');
	}
	await clock.advance(10_000);
	await queue.pop(signal);
	queue.refused(info, new Set());
	await clock.advance(5 * 60_000);
	t.is(queue.counts().active, 1);
	queue.delete(info.key);
	t.is(clock.pending, 0);
});

test('queue: what happens while a pod is in flight is not missed', async (t) => {
	const queue = new SchedulingQueue(new VirtualClock());
	const info = podInfo(pod('a'));
	queue.put(info, true);
	await queue.pop(new AbortController().signal);
	queue.happened(['nodeAdded']);
	queue.refused(info, new Set(['nodeAdded']));
	t.is(queue.counts().backoff, 1);
});

test('the share of nodes that a profile asks for', (t) => {
	t.is(enoughNodes(1000, 70), 700);
	t.is(enoughNodes(1000, 5), 100, 'never fewer than a hundred');
	t.is(enoughNodes(50, 70), 50);
});

for (const [name, args, want] of [
	['a resource', { ignoredResources: ['example.com/a'] }, { node: 'n1' }],
	['a group of them', { ignoredResourceGroups: ['example.com'] }, { node: 'n1' }],
	['no other', { ignoredResources: ['example.com/b'] }, undefined],
	['none of the node itself', { ignoredResources: ['cpu'], ignoredResourceGroups: ['example.com'] }, { node: 'n1' }],
] as const)
	test(`NodeResourcesFit lets be: ${name}`, (t) => {
		const fit = { ...DEFAULT_ARGS.NodeResourcesFit, ...args };
		const plugins = pluginsFor(noStorage, noDevices, undefined, { NodeResourcesFit: fit });
		const asking = { containers: [{ name: 'c', image: 'i', resources: { requests: { 'example.com/a': '1' } } }] };
		const decide = (p: Pod): unknown =>
			schedule(podInfo(p), { nodes: [nodeInfo(node('n1'), [])], namespaceLabels: () => ({}) }, plugins, () => 0);
		if (want === undefined) t.like(decide(pod('a', asking)), { unfit: { everywhere: undefined } });
		else t.deepEqual(decide(pod('a', asking)), want);
		t.like(decide(pod('b', cpu('100'))), { unfit: { everywhere: undefined } }, 'cpu always counts');
	});

test('NodeAffinity: what the profile requires of all its pods', (t) => {
	const nodeSelectorTerms = [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }];
	const args = { NodeAffinity: { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
	const plugins = pluginsFor(noStorage, noDevices, undefined, args);
	const nodes = [nodeInfo(node('n1'), []), nodeInfo(node('n2', { labels: { disk: 'ssd' } }), [])];
	const decide = (some: typeof nodes): unknown =>
		schedule(podInfo(pod('a')), { nodes: some, namespaceLabels: () => ({}) }, plugins, () => 0);
	t.deepEqual(decide(nodes), { node: 'n2' });
	const { unfit } = decide(nodes.slice(0, 1)) as { unfit: Unfit };
	t.deepEqual(unfit.refusals.get('n1')?.reasons, ["node(s) didn't match scheduler-enforced node affinity"]);
});

test('NodeAffinity: a profile that requires one of no terms fits no node', (t) => {
	const required = {} as { nodeSelectorTerms: [] };
	const args = { NodeAffinity: { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
	const plugins = pluginsFor(noStorage, noDevices, undefined, args);
	const snapshot = { nodes: [nodeInfo(node('n1'), [])], namespaceLabels: () => ({}) };
	t.true('unfit' in schedule(podInfo(pod('a')), snapshot, plugins, () => 0));
});
