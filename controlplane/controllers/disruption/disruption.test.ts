import test from 'ava';
import type { Pod, PodDisruptionBudget } from '../../../api/gen/types.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { JOBS, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { budgetStatus, disruptedPods, expectedOf, failedStatus, goSelector, healthyPods, needsScale } from './budget.ts';
import { staleAt } from './stale.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 10);
const budget = (spec: object, status: object = {}): PodDisruptionBudget =>
	({ metadata: { name: 'b', generation: 3 }, spec, status }) as PodDisruptionBudget;
const pod = (name: string, ready = true, more: object = {}): Pod => ({
	metadata: { name, ...more },
	status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const three = ['a', 'b', 'c'].map((name) => pod(name));

for (const [name, spec, scale, want] of [
	['a number is of the pods there are', { minAvailable: 2 }, undefined, { expectedPods: 3, desiredHealthy: 2 }],
	['a percentage is of the scale, rounded up', { minAvailable: '30%' }, 4, { expectedPods: 4, desiredHealthy: 2 }],
	['what may be missing is of the scale', { maxUnavailable: 1 }, 4, { expectedPods: 4, desiredHealthy: 3 }],
	['a share that may be missing is rounded up', { maxUnavailable: '30%' }, 4, { expectedPods: 4, desiredHealthy: 2 }],
	['never less than none', { maxUnavailable: 9 }, 4, { expectedPods: 4, desiredHealthy: 0 }],
	['neither', {}, undefined, { expectedPods: 0, desiredHealthy: 0 }],
] as const)
	test(`expectedOf(): ${name}`, (t) => {
		t.is(needsScale(budget(spec)), scale !== undefined);
		t.deepEqual(expectedOf(budget(spec), three, scale ?? 0), want);
	});

test('an evicted pod counts as gone for two minutes; then it is said that it stayed', (t) => {
	const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString();
	const one = budget({}, { disruptedPods: { a: at(1), b: at(3), gone: at(0) } });
	const { waiting, late, recheckAt } = disruptedPods(one, three, NOW);
	t.deepEqual(waiting, { a: at(1) });
	t.deepEqual(
		late.map((p) => p.metadata.name),
		['b'],
	);
	t.is(recheckAt, NOW + 60_000);
	t.is(healthyPods([...three, pod('d', false), pod('e', true, { deletionTimestamp: at(0) })], waiting, NOW), 2);
});

test('a status is written once, and says at the next generation that it was looked at', (t) => {
	const one = budget({ minAvailable: 2 });
	const status = budgetStatus(one, { expectedPods: 3, desiredHealthy: 2 }, 3, {}, NOW);
	t.like(status, { disruptionsAllowed: 1, currentHealthy: 3, expectedPods: 3, observedGeneration: 3 });
	t.like(status?.conditions?.[0], { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', observedGeneration: 3 });
	t.is(budgetStatus({ ...one, status }, { expectedPods: 3, desiredHealthy: 2 }, 3, {}, NOW + 5000), undefined);
	t.is(budgetStatus({ metadata: { generation: 4 }, status }, { expectedPods: 3, desiredHealthy: 2 }, 3, {}, NOW)?.observedGeneration, 4);
	t.like(budgetStatus({ ...one, status }, { expectedPods: 0, desiredHealthy: 0 }, 3, {}, NOW), { disruptionsAllowed: 0 });
	t.like(failedStatus({ ...one, status }, 'no', NOW).conditions?.[0], { status: 'False', reason: 'SyncFailed', message: 'no' });
});

test('a pod that was to be disrupted and stays is stale after two minutes, unless its kubelet said so', (t) => {
	const target = (reason: string, more: object = {}): Pod => ({
		metadata: {},
		status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: '2026-01-01T00:10:00Z' }], ...more },
	});
	t.is(staleAt(target('EvictionByEvictionAPI')), NOW + 120_000);
	t.is(staleAt(target('TerminationByKubelet')), undefined);
	t.is(staleAt(target('EvictionByEvictionAPI', { phase: 'Failed' })), undefined);
	t.is(
		goSelector({ matchLabels: { app: 'x' } }),
		'&LabelSelector{MatchLabels:map[string]string{app: x,},MatchExpressions:[]LabelSelectorRequirement{},}',
	);
});

const only = ['disruption-controller', 'stale-pod-disruption'];
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

test('budgets follow their pods, evictions count down, and controllers without a scale allow none', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const labels = { app: 'x' };
			const spec = {
				selector: { matchLabels: labels },
				template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
			};
			const set = await client.create(REPLICA_SETS, { metadata: { namespace: 'default', name: 'rs' }, spec: { ...spec, replicas: 3 } });
			await client.create(POD_DISRUPTION_BUDGETS, {
				metadata: { namespace: 'default', name: 'b' },
				spec: { selector: { matchLabels: labels }, maxUnavailable: 1 },
			});
			await pass();
			t.deepEqual(await events('b'), ['NoPods: No matching pods found']);
			const owned = (owner: KubeObject, resource: Resource, name: string) => ({
				metadata: {
					...{ namespace: 'default', name, labels },
					ownerReferences: [
						{
							apiVersion: apiVersionOf(resource),
							kind: resource.kind,
							name: owner.metadata.name,
							uid: owner.metadata.uid,
							controller: true,
						},
					],
				},
				spec: spec.template.spec,
			});
			for (const name of ['p1', 'p2', 'p3']) {
				await client.create(PODS, owned(set, REPLICA_SETS, name));
				await report(`default/${name}`, ready);
			}
			await pass();
			const status = async () => (await client.get(POD_DISRUPTION_BUDGETS, 'default/b')).status;
			t.like(await status(), { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3, observedGeneration: 1 });
			await client.patch(PODS, 'default/p1', { type: 'merge', body: { metadata: { finalizers: ['x.io/stay'] } } });
			const evict = (name: string) => client.create(PODS, { metadata: { name } }, { subresource: 'eviction', key: `default/${name}` });
			await evict('p1');
			await t.throwsAsync(evict('p2'), { message: /violate/ });
			await pass();
			t.like(await status(), { disruptionsAllowed: 0, currentHealthy: 2, disruptedPods: undefined });

			const job = { metadata: { name: 'j', uid: 'some' } };
			await client.patch(POD_DISRUPTION_BUDGETS, 'default/b', {
				type: 'merge',
				body: { spec: { selector: { matchLabels: { app: 'y' } } } },
			});
			const other = owned(job, JOBS, 'q');
			await client.create(PODS, { ...other, metadata: { ...other.metadata, labels: { app: 'y' } } });
			await pass();
			t.is((await status())?.disruptionsAllowed, 0);
			t.is((await status())?.conditions?.[0]?.message, 'jobs.batch does not implement the scale subresource');
			t.deepEqual(refusals, []);
		},
		{ only },
	);
});

test('a ReplicaSet whose Deployment is gone is asked itself', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const labels = { app: 'x' };
			const ref = (owner: object) => [{ apiVersion: 'apps/v1', controller: true, ...owner }];
			const podSpec = { containers: [{ name: 'c', image: 'i' }] };
			const set = await client.create(REPLICA_SETS, {
				metadata: { namespace: 'default', name: 'rs', ownerReferences: ref({ kind: 'Deployment', name: 'gone', uid: 'gone' }) },
				spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
			});
			const ownerReferences = ref({ kind: 'ReplicaSet', name: 'rs', uid: set.metadata.uid });
			await client.create(PODS, { metadata: { namespace: 'default', name: 'p', labels, ownerReferences } as never, spec: podSpec });
			await report('default/p', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
			await client.create(POD_DISRUPTION_BUDGETS, {
				metadata: { namespace: 'default', name: 'b' },
				spec: { selector: { matchLabels: labels }, maxUnavailable: 1 },
			});
			await pass();
			t.like((await client.get(POD_DISRUPTION_BUDGETS, 'default/b')).status, { expectedPods: 2, desiredHealthy: 1, currentHealthy: 1 });
			t.deepEqual(refusals, []);
		},
		{ only },
	);
});

test('a pod that was not deleted loses its mark of disruption', async (t) => {
	await controlledCluster(
		async ({ client, clock, pass, report }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await client.create(PODS, { metadata: { namespace: 'default', name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
			const lastTransitionTime = new Date(clock.now()).toISOString();
			await report('default/p', {
				phase: 'Running',
				conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'Some', lastTransitionTime }],
			});
			await pass(60_000);
			const mark = async () => (await client.get(PODS, 'default/p')).status?.conditions?.find((c) => c.type === 'DisruptionTarget')?.status;
			t.is(await mark(), 'True');
			await pass(70_000);
			t.is(await mark(), 'False');
		},
		{ only },
	);
});
