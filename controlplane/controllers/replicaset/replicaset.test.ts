import test from 'ava';
import type { Pod, ReplicaSet } from '../../../api/gen/types.ts';
import { EVENTS, NAMESPACES, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { Expectations } from '../expectations.ts';
import { ReplicaSetController } from './controller.ts';
import { statusOf, victims } from './plan.ts';

const NOW = Date.UTC(2026, 0, 2);
const pod = (
	uid: string,
	more: { node?: string; phase?: string; readyAt?: string; cost?: string; restarts?: number; sidecar?: number; created?: string } = {},
): Pod =>
	({
		metadata: {
			name: uid,
			uid,
			creationTimestamp: more.created ?? '2026-01-01T00:00:00Z',
			annotations: more.cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': more.cost },
		},
		spec: { nodeName: more.node ?? 'n1', containers: [], initContainers: [{ name: 's', restartPolicy: 'Always' }] },
		status: {
			phase: more.phase ?? 'Running',
			conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: more.readyAt ?? '2026-01-01T00:00:00Z' }],
			containerStatuses: [{ name: 'c', restartCount: more.restarts ?? 0 }],
			initContainerStatuses: [{ name: 's', restartCount: more.sidecar ?? 0 }],
		},
	}) as unknown as Pod;

for (const [name, first, second] of [
	['one without a node before one with', pod('z', { node: '' }), pod('a')],
	['a pending one before a running one', pod('z', { phase: 'Pending' }), pod('a')],
	['the cheaper one', pod('z', { cost: '-1' }), pod('a')],
	['the one that became ready later', pod('z', { readyAt: '2026-01-01T23:00:00Z' }), pod('a')],
	['the one that restarted more', pod('z', { restarts: 2 }), pod('a', { restarts: 1 })],
	['the one whose sidecar restarted more', pod('z', { sidecar: 1 }), pod('a')],
	[
		'of those about as long ready, neither by age nor by restarts',
		pod('a', { readyAt: '2026-01-01T10:00:00Z' }),
		pod('z', { readyAt: '2026-01-01T10:00:01Z', restarts: 3 }),
	],
	['the younger one', pod('z', { created: '2026-01-01T23:59:00Z' }), pod('a')],
] as const)
	test(`victims(): ${name}`, (t) => t.deepEqual(victims([second, first], [first, second], 1, NOW), [first]));

test('statusOf(): why it failed first stays until it succeeds', (t) => {
	const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'first', lastTransitionTime: 'then' };
	const rs = { metadata: {}, spec: { selector: {} }, status: { replicas: 0, conditions: [condition] } };
	t.deepEqual(statusOf(rs, [], { reason: 'FailedDelete', message: 'later' }, NOW).conditions, [condition]);
	t.is(statusOf(rs, [], undefined, NOW).conditions, undefined);
});

test('what could not be created is not expected, all that was is', async (t) => {
	const clock = new VirtualClock();
	const expectations = new Expectations(clock);
	let asked = 0;
	const client = {
		create: (_: unknown, made: Pod) => (++asked === 3 ? Promise.reject(new Error('no')) : Promise.resolve(made)),
	} as unknown as Client;
	const rs: ReplicaSet = {
		metadata: { namespace: 'n', name: 'rs', uid: 'u' },
		spec: { replicas: 10, selector: { matchLabels: { app: 'x' } }, template },
	};
	const controller = new ReplicaSetController({
		...{ client, clock, expectations, resource: REPLICA_SETS, shape: (status) => status, writeStatus: () => Promise.resolve() },
		replicaSets: { get: () => rs, list: () => [rs], byIndex: () => [] },
		pods: { get: () => undefined, list: () => [], byIndex: () => [] },
		recorder: { event: () => undefined },
	});
	await t.throwsAsync(controller.reconcile('n/rs', new AbortController().signal), { message: 'no' });
	expectations.creationObserved('u');
	t.false(expectations.satisfied('u'), 'a second pod was made');
	expectations.creationObserved('u');
	t.true(expectations.satisfied('u'));
});

const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const names = (pods: readonly Pod[]): number => pods.filter((p) => p.metadata.deletionTimestamp === undefined).length;

test('a ReplicationController makes, adopts, releases and deletes pods', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await client.create(PODS, { metadata: { namespace: 'default', name: 'orphan', labels: { app: 'x' } }, spec: template.spec });
			await client.create(PODS, { metadata: { namespace: 'default', name: 'ended', labels: { app: 'x' } }, spec: template.spec });
			await report('default/ended', { phase: 'Succeeded' });
			await client.create(REPLICATION_CONTROLLERS, { metadata: { namespace: 'default', name: 'rc' }, spec: { replicas: 3, template } });
			await pass();
			const pods = async () => (await client.list(PODS, { namespace: 'default', fieldSelector: 'status.phase!=Succeeded' })).items;
			t.is(names(await pods()), 3);
			t.like((await client.get(PODS, 'default/orphan')).metadata.ownerReferences?.[0], {
				apiVersion: 'v1',
				kind: 'ReplicationController',
				name: 'rc',
			});
			for (const one of await pods())
				await report(`default/${one.metadata.name}`, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
			await pass();
			const { status, metadata } = await client.get(REPLICATION_CONTROLLERS, 'default/rc');
			t.deepEqual(status, { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 });
			await pass(60_000);
			t.is((await client.get(REPLICATION_CONTROLLERS, 'default/rc')).metadata.resourceVersion, metadata.resourceVersion);
			await client.patch(PODS, 'default/orphan', { type: 'merge', body: { metadata: { labels: { app: 'y' } } } });
			await pass();
			t.is((await client.get(PODS, 'default/ended')).metadata.ownerReferences, undefined, 'what has ended is not adopted');
			t.is((await client.get(PODS, 'default/orphan')).metadata.ownerReferences, undefined);
			t.is(names(await pods()), 4);
			await client.patch(REPLICATION_CONTROLLERS, 'default/rc', { type: 'merge', body: { spec: { replicas: 1 } } });
			await pass();
			t.is(names((await pods()).filter((p) => p.metadata.labels?.['app'] === 'x')), 1);
			t.deepEqual(new Set((await events('rc')).map((e) => e.split(':')[0])), new Set(['SuccessfulCreate', 'SuccessfulDelete']));
			t.is((await client.list(EVENTS)).items[0]?.source?.component, 'replication-controller');
			t.deepEqual(refusals, []);
		},
		{ only: ['replicationcontroller-controller'] },
	);
});

test('pods that are refused are told of; a namespace that is going is not pressed', async (t) => {
	await controlledCluster(
		async ({ client, pass, events }) => {
			await client.create(NAMESPACES, { metadata: { name: 'n', finalizers: ['x.io/stay'] } });
			const refused = { ...template, spec: { ...template.spec, serviceAccountName: 'missing' } };
			const spec = { replicas: 1, selector: { matchLabels: { app: 'x' } }, template: refused };
			await client.create(REPLICA_SETS, { metadata: { namespace: 'n', name: 'rs' }, spec });
			await pass();
			t.regex(
				(await events('rs')).join(),
				/FailedCreate: Error creating: pods "rs-" is forbidden: error looking up service account n\/missing/,
			);
			t.like((await client.get(REPLICA_SETS, 'n/rs')).status?.conditions?.[0], {
				type: 'ReplicaFailure',
				status: 'True',
				reason: 'FailedCreate',
			});
			await client.create(REPLICA_SETS, { metadata: { namespace: 'n', name: 'late' }, spec: { ...spec, replicas: 0 } });
			await client.delete(NAMESPACES, 'n');
			await client.patch(REPLICA_SETS, 'n/late', { type: 'merge', body: { spec: { replicas: 1 } } });
			await pass();
			t.deepEqual(await events('late'), []);
		},
		{ only: ['replicaset-controller'] },
	);
});
