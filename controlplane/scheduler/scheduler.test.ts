import test from 'ava';
import type { Node, Pod, PodSpec } from '../../api/gen/types.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { runServices } from '../../base/service.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { createClient } from '../../client/rest.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { fitMessage, preemptionMessage } from './fit-message.ts';
import type { Snapshot } from './framework.ts';
import { nodeInfo } from './node-info.ts';
import { podInfo } from './pod-info.ts';
import { defaultPlugins } from './plugins.ts';
import { choosePreemption } from './preemption.ts';
import { SchedulingQueue } from './queue.ts';
import { enoughNodes, schedule } from './schedule.ts';
import { createScheduler } from './scheduler.ts';

function pod(name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Pod {
	return {
		metadata: { name, namespace: 'default', uid: `uid-${name}`, labels },
		spec: { containers: [{ name: 'c', image: 'img' }], ...spec },
	};
}

function node(
	name: string,
	extra: {
		labels?: Record<string, string>;
		spec?: Node['spec'];
		cpu?: string;
		pods?: string;
		images?: NonNullable<Node['status']>['images'];
	} = {},
): Node {
	return {
		metadata: { name, labels: { 'kubernetes.io/hostname': name, ...extra.labels } },
		spec: extra.spec ?? {},
		status: { allocatable: { cpu: extra.cpu ?? '4', memory: '8Gi', pods: extra.pods ?? '110' }, images: extra.images ?? [] },
	};
}

const cpu = (amount: string): Partial<PodSpec> => ({ containers: [{ name: 'c', image: 'img', resources: { requests: { cpu: amount } } }] });
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
	return 'node' in decision ? decision.node : fitMessage(decision.unfit, s.nodes.length, preemptionMessage(decision.unfit, s.nodes.length));
}

const unavailable = (reasons: string, preemption: string, n = 1): string =>
	`0/${n} nodes are available: ${reasons}. no new claims to deallocate, preemption: 0/${n} nodes are available: ${preemption}.`;
const HELPLESS = '1 Preemption is not helpful for scheduling';
const VICTIMLESS = '1 No preemption victims found for incoming pod';
const web = { app: 'web' };
const zone = (name: string): { labels: Record<string, string> } => ({ labels: { zone: name } });

for (const [name, p, s, want] of [
	['a fitting node', pod('a'), snapshot([node('n1')]), 'n1'],
	['no nodes at all', pod('a'), snapshot([]), 'no nodes available to schedule pods'],
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
	const candidate = choosePreemption(podInfo(high), decision.unfit, s, defaultPlugins.filters, []);
	t.is(candidate?.node, 'n2');
	t.deepEqual(
		candidate?.victims.map((v) => v.key),
		['default/c'],
	);
	const never = podInfo(pod('high', { ...cpu('3'), priority: 100, preemptionPolicy: 'Never' }));
	t.is(choosePreemption(never, decision.unfit, s, defaultPlugins.filters, []), undefined);
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

async function running(
	body: (parts: { clock: VirtualClock; transport: FakeTransport; get: (name: string) => Pod }) => Promise<void>,
): Promise<void> {
	const clock = new VirtualClock();
	const transport = new FakeTransport(clock);
	const client = createClient(transport);
	const deps = { client, clock, log: noLog };
	const informers = new Informers(deps);
	const recorder = createRecorder({ ...deps, component: 'default-scheduler' });
	const scheduler = createScheduler({ ...deps, informers, recorder, metrics: createMetrics() });
	const stop = new AbortController();
	const done = runServices([informers, recorder, scheduler], stop.signal);
	await clock.advance(10);
	try {
		await body({ clock, transport, get: (name) => transport.api.get('/api/v1/pods', `default/${name}`) as Pod });
	} finally {
		stop.abort();
		await done;
	}
}

const events = (transport: FakeTransport): readonly string[] =>
	transport.api
		.list('/api/v1/events', () => true)
		.map((e) => {
			const { reason, message } = e as { reason?: string; message?: string };
			return `${reason}: ${message}`;
		});

test('a pod is bound as soon as there is a node, with condition and events on the way', async (t) => {
	await running(async ({ clock, transport, get }) => {
		transport.api.create(`/api/v1/${PODS.plural}`, pod('a'), 'default');
		await clock.advance(10);
		const [condition] = get('a').status?.conditions ?? [];
		t.is(condition?.status, 'False');
		t.is(condition?.reason, 'Unschedulable');
		t.deepEqual(events(transport), ['FailedScheduling: no nodes available to schedule pods']);
		transport.api.create(`/api/v1/${NODES.plural}`, node('n1'), undefined);
		await clock.advance(1000);
		t.is(get('a').spec?.nodeName, 'n1');
		t.deepEqual(events(transport), [
			'FailedScheduling: no nodes available to schedule pods',
			'Scheduled: Successfully assigned default/a to n1',
		]);
		transport.api.create('/api/v1/pods', pod('b'), 'default');
		await clock.advance(0);
		t.is(get('b').spec?.nodeName, 'n1', 'without any wait');
	});
});

test('bound pods are counted before the informer shows them; gates and other schedulers are left alone', async (t) => {
	await running(async ({ clock, transport, get }) => {
		transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
		await clock.advance(1);
		transport.api.create('/api/v1/pods', pod('other', { schedulerName: 'mine' }), 'default');
		transport.api.create('/api/v1/pods', pod('gated', { schedulingGates: [{ name: 'g' }] }), 'default');
		transport.api.create('/api/v1/pods', pod('a', cpu('600m')), 'default');
		transport.api.create('/api/v1/pods', pod('b', cpu('600m')), 'default');
		await clock.advance(10);
		t.is(get('a').spec?.nodeName, 'n1');
		t.is(get('b').spec?.nodeName, undefined);
		t.is(get('other').spec?.nodeName, undefined);
		t.is(get('gated').spec?.nodeName, undefined);
		const gated = structuredClone(get('gated'));
		gated.spec = { ...gated.spec, containers: gated.spec?.containers ?? [], schedulingGates: [] };
		transport.api.update('/api/v1/pods', 'default/gated', gated);
		transport.api.delete('/api/v1/pods', 'default/a');
		await clock.advance(2000);
		t.is(get('gated').spec?.nodeName, 'n1');
		t.is(get('b').spec?.nodeName, 'n1', 'woken by the deleted pod');
	});
});

test('a failing binding is tried again', async (t) => {
	await running(async ({ clock, transport, get }) => {
		let failures = 2;
		transport.intercept = (request) => {
			if (request.subresource === 'binding' && failures-- > 0) throw new Error('connection lost');
		};
		transport.api.create('/api/v1/nodes', node('n1'), undefined);
		transport.api.create('/api/v1/pods', pod('a'), 'default');
		await clock.advance(500);
		t.is(get('a').spec?.nodeName, undefined);
		await clock.advance(5000);
		t.is(get('a').spec?.nodeName, 'n1');
	});
});

test('a more important pod preempts', async (t) => {
	await running(async ({ clock, transport, get }) => {
		transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
		transport.api.create('/api/v1/pods', pod('low', cpu('800m')), 'default');
		await clock.advance(10);
		transport.api.create('/api/v1/pods', pod('high', { ...cpu('800m'), priority: 1000 }), 'default');
		await clock.advance(2000);
		t.throws(() => get('low'));
		t.is(get('high').spec?.nodeName, 'n1');
		t.true(events(transport).some((e) => e.startsWith('Preempted: Preempted by pod')));
	});
});
