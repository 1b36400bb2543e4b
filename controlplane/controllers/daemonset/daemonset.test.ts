import test from 'ava';
import type { DaemonSet, Node, Pod, Taint } from '../../../api/gen/types.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { FailedPods } from './failed-pods.ts';
import { daemonPod, fits, targetNode } from './nodes.ts';
import { byNode, planNodes, planRolling, statusOf } from './plan.ts';

const NOW = Date.UTC(2026, 0, 1, 1);
const ds = (spec: object = {}, podSpec: object = {}): DaemonSet =>
	({
		metadata: { namespace: 'n', name: 'd', uid: 'du', generation: 2, annotations: { 'deprecated.daemonset.template.generation': '2' } },
		spec: {
			selector: { matchLabels: { app: 'x' } },
			template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c' }], ...podSpec } },
			...spec,
		},
	}) as unknown as DaemonSet;
const node = (name: string, more: { taints?: Taint[]; labels?: Record<string, string> } = {}): Node => ({
	metadata: { name, labels: more.labels ?? {} },
	spec: { taints: more.taints ?? [] },
});
const pod = (on: string, hash: string, more: { ready?: boolean; phase?: string; name?: string; deleting?: boolean } = {}): Pod => ({
	metadata: {
		...{ namespace: 'n', name: more.name ?? `${on}-${hash}`, uid: `${on}-${hash}`, labels: { 'controller-revision-hash': hash } },
		...(more.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
	},
	spec: { nodeName: on, containers: [] },
	status: {
		phase: more.phase ?? 'Running',
		conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
	},
});
const names = (pods: readonly Pod[]): readonly string[] => pods.map((p) => p.metadata.name ?? '');

for (const [name, set, one, want] of [
	['a plain node', ds(), node('a'), [true, true]],
	[
		'a node that is cordoned or not ready',
		ds(),
		node('a', {
			taints: [
				{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
				{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
			],
		}),
		[true, true],
	],
	['a taint that it does not bear', ds(), node('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] }), [false, true]],
	['a taint that drives it away', ds(), node('a', { taints: [{ key: 'k', effect: 'NoExecute' }] }), [false, false]],
	['a node that its selector does not choose', ds({}, { nodeSelector: { disk: 'ssd' } }), node('a'), [false, false]],
	[
		'a network that is missing',
		ds(),
		node('a', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }),
		[false, true],
	],
	[
		'a network that it does not need',
		ds({}, { hostNetwork: true }),
		node('a', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }),
		[true, true],
	],
] as const)
	test(`fits(): ${name}`, (t) => t.deepEqual(Object.values(fits(set, one)), [...want]));

test('daemonPod(): meant for one node, labelled with its revision', (t) => {
	const made = daemonPod(ds(), 'a', 'h');
	t.is(targetNode(made), 'a');
	t.like(made.metadata.labels, { app: 'x', 'controller-revision-hash': 'h', 'pod-template-generation': '2' });
	t.is(made.spec?.tolerations?.length, 6);
});

const [a, b, c] = [node('a'), node('b'), node('c')];
for (const [name, set, nodes, pods, want] of [
	['a pod for each node', ds(), [a, b], [], { create: ['a', 'b'], remove: [] }],
	['only one a node', ds(), [a], [pod('a', 'h'), pod('a', 'g')], { create: [], remove: ['a-h'] }],
	['a failed pod goes', ds(), [a], [pod('a', 'h', { phase: 'Failed' })], { create: [], remove: ['a-h'] }],
	['one that is going is waited for', ds(), [a], [pod('a', 'h', { deleting: true })], { create: [], remove: [] }],
	['none where it may not stay', ds({}, { nodeSelector: { x: 'y' } }), [a], [pod('a', 'h')], { create: [], remove: ['a-h'] }],
	[
		'a pod for a node that is gone',
		ds(),
		[a],
		[pod('a', 'h'), { ...daemonPod(ds(), 'z', 'h'), metadata: { name: 'z-h' } }],
		{ create: [], remove: ['z-h'] },
	],
] as const)
	test(`planNodes(): ${name}`, (t) => {
		const plan = planNodes(set, nodes, byNode(pods), 'h', NOW, () => true);
		t.deepEqual({ create: plan.create, remove: names(plan.remove) }, want as never);
	});

const rolling = (rollingUpdate: object): DaemonSet => ds({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const old = [pod('a', 'g'), pod('b', 'g'), pod('c', 'g')];
for (const [name, set, pods, want] of [
	['one at a time', rolling({ maxUnavailable: 1 }), old, { create: [], remove: ['a-g'] }],
	['a share, rounded up', rolling({ maxUnavailable: '50%' }), old, { create: [], remove: ['a-g', 'b-g'] }],
	[
		'none while one is down',
		rolling({ maxUnavailable: 1 }),
		[pod('a', 'h', { ready: false }), ...old.slice(1)],
		{ create: [], remove: [] },
	],
	[
		'those that are down go first',
		rolling({ maxUnavailable: 1 }),
		[old[0], pod('b', 'g', { ready: false }), old[2]],
		{ create: [], remove: ['b-g'] },
	],
	['surge: a new one beside the old', rolling({ maxSurge: 1, maxUnavailable: 0 }), old, { create: ['a'], remove: [] }],
	[
		'surge: the old one goes once the new one is available',
		rolling({ maxSurge: 1, maxUnavailable: 0 }),
		[pod('a', 'h'), ...old],
		{ create: ['b'], remove: ['a-g'] },
	],
] as const)
	test(`planRolling(): ${name}`, (t) => {
		const pl = planRolling(set, [a, b, c], byNode(pods as readonly Pod[]), 'h', NOW);
		t.deepEqual({ create: pl.create, remove: names(pl.remove) }, want as never);
	});

test('statusOf(): counts nodes, not pods', (t) => {
	const status = statusOf(
		ds({}, { nodeSelector: { x: 'y' } }),
		[node('a', { labels: { x: 'y' } }), b, node('c', { labels: { x: 'y' } })],
		byNode([pod('a', 'h'), pod('b', 'h')]),
		'h',
		NOW,
		true,
	);
	t.deepEqual(status, {
		...{ desiredNumberScheduled: 2, currentNumberScheduled: 1, numberMisscheduled: 1, numberReady: 1, updatedNumberScheduled: 1 },
		...{ numberAvailable: 1, numberUnavailable: 1, observedGeneration: 2 },
	});
});

test('failed pods are replaced after 1 s, 2 s, 4 s …', async (t) => {
	const clock = new VirtualClock();
	const failed = new FailedPods(clock);
	t.true(failed.mayRetry('s', 1, 'a'));
	t.false(failed.mayRetry('s', 1, 'a'));
	t.deepEqual(failed.waits('s'), [1000]);
	await clock.advance(1000);
	t.true(failed.mayRetry('s', 1, 'a'));
	await clock.advance(1000);
	t.false(failed.mayRetry('s', 1, 'a'));
	t.true(failed.mayRetry('s', 2, 'a'));
});

test('a DaemonSet covers its nodes, rolls to a new template and keeps history', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			for (const name of ['a', 'b']) {
				await client.create(NODES, { metadata: { name } });
				await client.patch(NODES, name, { type: 'merge', body: { spec: { taints: null } } });
			}
			const { spec } = ds({ revisionHistoryLimit: 1 });
			await client.create(DAEMON_SETS, {
				metadata: { namespace: 'default', name: 'd' },
				spec: { ...spec, template: { ...spec?.template, spec: { containers: [{ name: 'c', image: 'i:1' }] } } },
			});
			await pass();
			const pods = async (): Promise<readonly Pod[]> => (await client.list(PODS, { namespace: 'default' })).items;
			const run = async (): Promise<void> => {
				for (const one of await pods()) {
					if ((one.spec?.nodeName ?? '') === '')
						await client.create(
							PODS,
							{ metadata: { name: one.metadata.name }, target: { kind: 'Node', name: targetNode(one) } },
							{ subresource: 'binding', key: `default/${one.metadata.name}` },
						);
					await report(`default/${one.metadata.name}`, {
						phase: 'Running',
						conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
					});
				}
				await pass();
			};
			await run();
			t.deepEqual((await pods()).map(targetNode).toSorted(), ['a', 'b']);
			t.like((await client.get(DAEMON_SETS, 'default/d')).status, {
				desiredNumberScheduled: 2,
				numberReady: 2,
				numberAvailable: 2,
				updatedNumberScheduled: 2,
			});
			for (const image of ['i:2', 'i:3', 'i:4']) {
				await client.patch(DAEMON_SETS, 'default/d', {
					type: 'strategic',
					body: { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } },
				});
				for (let i = 0; i < 4; i++) {
					for (const one of await pods())
						if (one.metadata.deletionTimestamp !== undefined)
							await client.delete(PODS, `default/${one.metadata.name}`, { gracePeriodSeconds: 0 });
					await pass();
					await run();
				}
				t.deepEqual(
					(await pods()).map((p) => p.spec?.containers[0]?.image),
					[image, image],
				);
			}
			const revisions = (await client.list(CONTROLLER_REVISIONS, { namespace: 'default' })).items;
			t.deepEqual(revisions.map((r) => r.revision).toSorted(), [3, 4]);
			t.true((await events('d')).every((e) => /^Successful(Create|Delete): (Created|Deleted) pod: d-/.test(e)));
			t.deepEqual(refusals, []);
		},
		{ only: ['daemonset-controller'] },
	);
});
