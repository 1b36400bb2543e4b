import test from 'ava';
import type { PersistentVolumeClaim, Pod, StatefulSet } from '../../../api/gen/types.ts';
import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, SERVICE_ACCOUNTS, STATEFUL_SETS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { revisionHash } from '../revision-hash.ts';
import { hasClaim, ordinalOf, repaired, statefulPod } from './identity.ts';
import { planSteps, revisionFor, statusOf } from './plan.ts';
import { goesWithFormerPod, isSomebodyElses, wantedOwners } from './retention.ts';

const NOW = Date.UTC(2026, 0, 2);
const REVISIONS = { current: 's-old', update: 's-new' };
const set = (spec: object = {}, more: object = {}): StatefulSet =>
	({
		metadata: { namespace: 'n', name: 's', uid: 'su', generation: 1, ...more },
		spec: {
			...{
				replicas: 3,
				selector: { matchLabels: { app: 'x' } },
				serviceName: 'svc',
				updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
			},
			template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c' }] } },
			...spec,
		},
	}) as unknown as StatefulSet;
const pod = (
	ordinal: number,
	more: { revision?: string; ready?: boolean; phase?: string; deleting?: boolean; since?: string } = {},
): Pod => {
	const made = statefulPod(set(), set().spec?.template, more.revision ?? 's-new', ordinal);
	return {
		...made,
		metadata: { ...made.metadata, uid: String(ordinal), ...(more.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
		status: {
			phase: more.phase ?? 'Running',
			conditions: [
				{ type: 'Ready', status: more.ready === false ? 'False' : 'True', lastTransitionTime: more.since ?? '2026-01-01T00:00:00Z' },
			],
		},
	};
};
const steps = (one: StatefulSet, pods: readonly Pod[]): readonly string[] =>
	planSteps(one, pods, REVISIONS, NOW).map((s) => `${s.type} ${s.type === 'create' ? s.ordinal : ordinalOf(one, s.pod)}`);
const parallel = { podManagementPolicy: 'Parallel' };

for (const [name, one, pods, want] of [
	['the first, and no more', set(), [], ['create 0']],
	['the next once the one before is ready', set(), [pod(0)], ['create 1']],
	['wait for the one before', set(), [pod(0, { ready: false })], []],
	['wait until it is available', set({ minReadySeconds: 60 }), [pod(0, { since: '2026-01-01T23:59:30Z' })], []],
	['all at once', set(parallel), [], ['create 0', 'create 1', 'create 2']],
	['from a start', set({ replicas: 2, ordinals: { start: 5 } }), [pod(5)], ['create 6']],
	['a failed one goes first', set(), [pod(0, { phase: 'Failed' }), pod(1)], ['delete 0']],
	['a pending one may lack its claims', set(), [pod(0, { phase: 'Pending', ready: false })], ['repair 0']],
	['scaled down from the top', set({ replicas: 1 }), [pod(0), pod(1), pod(2)], ['delete 2']],
	['not while the one above is going', set({ replicas: 1 }), [pod(0), pod(1), pod(2, { deleting: true })], []],
	[
		'an unready one that is condemned blocks, but the first',
		set({ replicas: 1 }),
		[pod(0), pod(1, { ready: false }), pod(2, { ready: false })],
		[],
	],
	['the first unready one may go', set({ replicas: 1 }), [pod(0), pod(1), pod(2, { ready: false })], ['delete 2']],
	['all down at once', set({ ...parallel, replicas: 0 }), [pod(0), pod(1)], ['delete 1', 'delete 0']],
	[
		'updated from the top',
		set(),
		[pod(0, { revision: 's-old' }), pod(1, { revision: 's-old' }), pod(2, { revision: 's-old' })],
		['delete 2'],
	],
	['one after the other', set(), [pod(0, { revision: 's-old' }), pod(1, { revision: 's-old' }), pod(2)], ['delete 1']],
	[
		'down to the partition',
		set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
		[pod(0, { revision: 's-old' }), pod(1, { revision: 's-old' }), pod(2)],
		[],
	],
	['not by itself', set({ updateStrategy: { type: 'OnDelete' } }), [pod(0, { revision: 's-old' }), pod(1), pod(2)], []],
	['nothing for one that is going', set({}, { deletionTimestamp: 'now' }), [], []],
] as const)
	test(`planSteps(): ${name}`, (t) => t.deepEqual(steps(one, pods), want));

test('pods below the partition are made by what there was', (t) => {
	const one = set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
	t.deepEqual(
		[0, 1, 2].map((ordinal) => revisionFor(one, ordinal, REVISIONS)),
		['s-old', 's-old', 's-new'],
	);
	t.is(revisionFor(set(), 0, REVISIONS), 's-new');
});

test('statusOf(): the update is done once all pods are new and ready', (t) => {
	t.like(statusOf(set(), [pod(0), pod(1), pod(2, { ready: false })], REVISIONS, 0, NOW), {
		...{ replicas: 3, readyReplicas: 2, updatedReplicas: 3, currentReplicas: 0, currentRevision: 's-old' },
	});
	t.like(statusOf(set(), [pod(0), pod(1), pod(2)], REVISIONS, 0, NOW), {
		currentReplicas: 3,
		currentRevision: 's-new',
		availableReplicas: 3,
	});
});

test('identity: name, labels, host name and claims', (t) => {
	const claimed = set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] });
	const made = statefulPod(claimed, claimed.spec?.template, 's-new', 4);
	t.like(made.metadata, { name: 's-4', generateName: 's-' });
	t.like(made.spec, { hostname: 's-4', subdomain: 'svc' });
	t.deepEqual(made.spec?.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-s-4', readOnly: false } }]);
	t.like(made.metadata.labels, { app: 'x', 'apps.kubernetes.io/pod-index': '4', 'controller-revision-hash': 's-new' });
	t.is(repaired(claimed, made), undefined);
	t.is(
		repaired(claimed, { ...made, metadata: { ...made.metadata, labels: {} } })?.metadata.labels?.['statefulset.kubernetes.io/pod-name'],
		's-4',
	);
	t.is(ordinalOf(set(), { metadata: { name: 'other-1' } }), -1);
});

test("a revision has upstream's name", (t) => {
	const container = { name: 'c', image: 'i', imagePullPolicy: 'Always', resources: {} };
	const template = {
		metadata: { labels: { app: 's' }, annotations: { a: 'x<y>&"z"' } },
		spec: {
			containers: [{ ...container, terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' }],
			...{ restartPolicy: 'Always', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst', securityContext: {} },
			schedulerName: 'default-scheduler',
		},
	};
	t.is(revisionHash(template, 0), '77b5d78799');
	t.not(revisionHash(template, 1), '77b5d78799');
});

const claim = (ownerReferences: readonly object[] = []): PersistentVolumeClaim =>
	({ metadata: { ownerReferences } }) as unknown as PersistentVolumeClaim;
const policy = (whenDeleted: string, whenScaled: string): StatefulSet =>
	set({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });
for (const [name, one, ordinal, present, want] of [
	['kept: nobody', policy('Retain', 'Retain'), 0, claim(), undefined],
	['deleted with the set', policy('Delete', 'Retain'), 0, claim(), ['StatefulSet']],
	['deleted when scaled down: the pod that goes', policy('Retain', 'Delete'), 7, claim(), ['Pod']],
	['deleted when scaled down: not before', policy('Retain', 'Delete'), 0, claim(), undefined],
	['both, scaled down', policy('Delete', 'Delete'), 7, claim(), ['Pod']],
	['no longer', policy('Retain', 'Retain'), 0, claim([{ kind: 'StatefulSet', name: 's', uid: 'su' }]), []],
	['somebody else controls it', policy('Delete', 'Retain'), 0, claim([{ kind: 'X', name: 'y', uid: 'z', controller: true }]), undefined],
	['a former set of the name', policy('Delete', 'Retain'), 0, claim([{ kind: 'StatefulSet', name: 's', uid: 'former' }]), undefined],
] as const)
	test(`claims ${name}`, (t) =>
		t.deepEqual(
			wantedOwners(one, pod(ordinal), present)?.map((ref) => ref.kind),
			want as string[] | undefined,
		));

test('a claim that goes with the pod of before is not given to the next; one of somebody else is left alone', (t) => {
	const former = claim([{ kind: 'Pod', name: 's-1', uid: 'former', controller: true }]);
	t.true(goesWithFormerPod(policy('Retain', 'Delete'), pod(1), former));
	t.false(goesWithFormerPod(policy('Delete', 'Retain'), pod(1), former));
	t.false(goesWithFormerPod(policy('Retain', 'Delete'), pod(1), claim([{ kind: 'Pod', name: 's-1', uid: '1' }])));
	t.true(isSomebodyElses(policy('Delete', 'Retain'), pod(0), claim([{ kind: 'X', name: 'y', uid: 'z', controller: true }])));
	t.false(isSomebodyElses(policy('Delete', 'Retain'), pod(0), claim([{ kind: 'StatefulSet', name: 's', uid: 'su', controller: true }])));
	t.false(isSomebodyElses(policy('Delete', 'Retain'), pod(0), claim()));
	t.true(isSomebodyElses(policy('Delete', 'Retain'), pod(0), claim([{ kind: 'Pod', name: 's-0', uid: 'former' }])));
	t.false(isSomebodyElses(policy('Retain', 'Retain'), pod(0), claim([{ kind: 'X', name: 'y', uid: 'z', controller: true }])), 'no policy');
	t.true(hasClaim(set({ volumeClaimTemplates: [{ metadata: { name: 'd' } }] }), 'd-s-12'));
	t.false(hasClaim(set({ volumeClaimTemplates: [{ metadata: { name: 'd' } }] }), 'd-s-x'));
});

test('a StatefulSet is made in order with its claims, rolled from the top, scaled down', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
			const volumeClaimTemplates = [
				{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
			];
			await client.create(STATEFUL_SETS, {
				metadata: { namespace: 'default', name: 's' },
				spec: {
					replicas: 2,
					serviceName: 'svc',
					selector: { matchLabels: { app: 'x' } },
					template,
					volumeClaimTemplates,
					persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
				},
			});
			await pass();
			const pods = async (): Promise<readonly Pod[]> => (await client.list(PODS, { namespace: 'default' })).items;
			const names = async () => (await pods()).map((p) => p.metadata.name);
			const run = async (name: string): Promise<void> => {
				await report(`default/${name}`, {
					phase: 'Running',
					conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
				});
				await pass();
			};
			t.deepEqual(await names(), ['s-0']);
			await run('s-0');
			t.deepEqual(await names(), ['s-0', 's-1']);
			await run('s-1');
			t.deepEqual(
				(await client.list(PERSISTENT_VOLUME_CLAIMS)).items.map((c) => c.metadata.name),
				['data-s-0', 'data-s-1'],
			);
			const status = async () => (await client.get(STATEFUL_SETS, 'default/s')).status;
			t.like(await status(), { replicas: 2, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2 });
			const first = (await status())?.currentRevision;
			await client.patch(STATEFUL_SETS, 'default/s', {
				type: 'json',
				body: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'i:2' }],
			});
			await pass();
			t.deepEqual(await names(), ['s-0', 's-1']);
			t.is((await client.get(PODS, 'default/s-1')).spec?.containers[0]?.image, 'i:2');
			await run('s-1');
			await run('s-0');
			t.deepEqual(
				(await pods()).map((p) => p.spec?.containers[0]?.image),
				['i:2', 'i:2'],
			);
			t.not((await status())?.currentRevision, first);
			t.is((await client.list(CONTROLLER_REVISIONS)).items.length, 2);
			await client.patch(STATEFUL_SETS, 'default/s', { type: 'merge', body: { spec: { replicas: 1 } } });
			await pass();
			t.deepEqual(await names(), ['s-0']);
			t.is((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/data-s-1')).metadata.ownerReferences?.[0]?.kind, 'Pod');
			await client.patch(STATEFUL_SETS, 'default/s', { type: 'merge', body: { spec: { replicas: 2 } } });
			await run('s-0');
			t.deepEqual(await names(), ['s-0'], 'the claim of before has still to go');
			await client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/data-s-1');
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/data-s-1', { type: 'merge', body: { metadata: { finalizers: null } } });
			await pass();
			t.deepEqual(await names(), ['s-0', 's-1']);
			t.is((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/data-s-1')).metadata.ownerReferences, undefined);
			t.true((await events('s')).includes('SuccessfulCreate: Create Pod s-0 in StatefulSet s successful'));
			t.true((await events('s')).includes('SuccessfulCreate: Create Claim data-s-0 Pod s-0 in StatefulSet s success'));
			t.deepEqual(refusals, []);
		},
		{ only: ['statefulset-controller'] },
	);
});

test('each claim of a pod is tried, and what some failed with is told together', async (t) => {
	await controlledCluster(
		async ({ client, pass, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
			for (const name of ['a-s-0', 'b-s-0']) {
				await client.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { namespace: 'default', name, finalizers: ['x.io/stay'] }, spec });
				await client.delete(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
			}
			await client.create(STATEFUL_SETS, {
				metadata: { namespace: 'default', name: 's' },
				spec: {
					selector: { matchLabels: { app: 'x' } },
					template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
					volumeClaimTemplates: ['a', 'b', 'c'].map((name) => ({ metadata: { name }, spec })),
				},
			});
			await pass();
			t.is((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c-s-0')).status?.phase, 'Pending');
			const why = '[pvc a-s-0 is being deleted, pvc b-s-0 is being deleted]';
			t.true((await events('s')).includes(`FailedCreate: Create Pod s-0 in StatefulSet s failed error: ${why}`));
			t.deepEqual(refusals, []);
		},
		{ only: ['statefulset-controller'] },
	);
});

test('a history without end: a negative limit keeps all revisions', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(STATEFUL_SETS, {
				metadata: { namespace: 'default', name: 's' },
				spec: {
					...{ replicas: 0, revisionHistoryLimit: -1, selector: { matchLabels: { app: 'x' } } },
					template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
				},
			});
			for (const value of ['i:2', 'i:3', 'i:4']) {
				await pass();
				const body = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value }];
				await client.patch(STATEFUL_SETS, 'default/s', { type: 'json', body });
			}
			await pass();
			t.is((await client.list(CONTROLLER_REVISIONS)).items.length, 4);
		},
		{ only: ['statefulset-controller'] },
	);
});
