import test from 'ava';
import type { Job, Node, OwnerReference, Pod, Service, Taint } from '../../api/gen/types.ts';
import type { KubeObject } from '../../api/resource.ts';
import { preferred, type DiscoveredResource } from './discovered.ts';
import { wantedEndpoints } from './endpointslice/endpoints.ts';
import { fateOf, type OwnerState } from './garbage-collector/decide.ts';
import { OwnerGraph } from './garbage-collector/graph.ts';
import { formatIndexes, parseIndexes } from './job/indexes.ts';
import { makePod } from './job/make-pod.ts';
import { planJob } from './job/plan.ts';
import { statusOf } from './job/status.ts';
import { lettingGo, tally } from './job/tally.ts';
import { terminatingConditions } from './namespace/conditions.ts';
import { wantedTaints } from './node-lifecycle/taints.ts';
import { unknownConditions } from './node-lifecycle/unknown.ts';
import { stayOf } from './taint-eviction/deadline.ts';

const NOW = Date.UTC(2026, 0, 1);
const AT = '2026-01-01T00:00:00Z';

// Jobs

for (const [text, list] of [
	['', []],
	['3', [3]],
	['1,2', [1, 2]],
	['0-2,5,7-9', [0, 1, 2, 5, 7, 8, 9]],
] as const)
	test(`job indexes: "${text}" reads and writes`, (t) => {
		t.deepEqual([...parseIndexes(text, 10)], [...list]);
		t.is(formatIndexes(list), text);
	});

const job = (spec: object, status: object = {}): Job => ({
	metadata: { name: 'j', uid: 'ju' },
	spec: { template: { spec: { containers: [] } }, ...spec },
	status,
});
const tracked = (
	uid: string,
	phase: string,
	more: { readonly index?: number; readonly released?: boolean; readonly ended?: number } = {},
): Pod =>
	({
		metadata: {
			name: uid,
			uid,
			finalizers: more.released === true ? [] : ['batch.kubernetes.io/job-tracking'],
			annotations: more.index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': String(more.index) },
		},
		spec: { nodeName: 'n', containers: [] },
		status: {
			phase,
			containerStatuses:
				more.ended === undefined ? [] : [{ name: 'c', state: { terminated: { finishedAt: new Date(more.ended).toISOString() } } }],
		},
	}) as unknown as Pod;

test('tally(): a finished pod is written down, released, and counted only once its finalizer is gone', (t) => {
	const first = tally(job({}), [tracked('a', 'Succeeded'), tracked('b', 'Failed'), tracked('c', 'Running')]);
	t.deepEqual(first.status, { succeeded: 0, failed: 0, uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] } });
	t.deepEqual(
		first.release.map((p) => p.metadata.uid),
		['a', 'b'],
	);
	t.is(first.succeeded, 1);
	const second = tally(job({}, first.status), [tracked('a', 'Succeeded', { released: true }), tracked('b', 'Failed')]);
	t.deepEqual(second.status, { succeeded: 1, failed: 0, uncountedTerminatedPods: { failed: ['b'] } });
	const third = tally(job({}, second.status), []);
	t.deepEqual(third.status, { succeeded: 1, failed: 1, uncountedTerminatedPods: {} });
	t.false(tally(job({}, third.status), []).changed);
});

for (const [rule, spec, phase, failed] of [
	['a pod that is deleted has failed, whatever its containers still do', {}, 'Running', 1],
	['unless only those that have ended are replaced', { podReplacementPolicy: 'Failed' }, 'Running', 0],
	['or it has succeeded before', {}, 'Succeeded', 0],
] as const)
	test(`tally(): ${rule}`, (t) => {
		const { metadata, ...rest } = tracked('a', phase);
		const count = tally(job(spec), [{ ...rest, metadata: { ...metadata, deletionTimestamp: AT } }]);
		t.is(count.failed, failed);
		t.is(count.release.length, phase === 'Succeeded' ? 1 : failed);
	});

test('tally(): what was written down as failed does not succeed after all', (t) => {
	const count = tally(job({}, { uncountedTerminatedPods: { failed: ['a'] } }), [tracked('a', 'Succeeded')]);
	t.deepEqual(count.status.uncountedTerminatedPods, { failed: ['a'] });
});

for (const [rule, success, failed] of [
	['a Job that fails counts what still ran as failed', false, ['a', 'b']],
	['one that succeeds does not', true, ['a']],
] as const)
	test(`lettingGo(): ${rule}, and lets go of it`, (t) => {
		const pods = [tracked('a', 'Failed'), tracked('b', 'Running'), tracked('c', 'Running', { released: true })];
		const count = lettingGo(job({}), pods, tally(job({}), pods), success);
		t.deepEqual(count.status.uncountedTerminatedPods, { failed: [...failed] });
		t.deepEqual(
			count.release.map((p) => p.metadata.uid),
			['a', 'b'],
		);
	});

test('makePod(): names with an index fit what the API server adds to them', (t) => {
	const name = 'x'.repeat(60);
	t.is(makePod({ metadata: { name }, spec: { template: {} } } as Job, 12).metadata.generateName, `${'x'.repeat(54)}-12-`);
});

test('tally(): an indexed Job counts indexes, not pods', (t) => {
	const indexed = job({ completionMode: 'Indexed', completions: 3 });
	const count = tally(indexed, [
		tracked('a', 'Succeeded', { index: 0 }),
		tracked('b', 'Succeeded', { index: 0 }),
		tracked('c', 'Succeeded', { index: 2 }),
	]);
	t.is(count.status.completedIndexes, '0,2');
	t.is(count.status.succeeded, 2);
});

for (const [name, one, pods, want] of [
	['as many pods as parallelism allows', job({ parallelism: 2, completions: 5 }), [], { create: 2, remove: 0 }],
	['no more than completions ask for', job({ parallelism: 5, completions: 2 }), [tracked('a', 'Succeeded')], { create: 1, remove: 0 }],
	['too many pods', job({ parallelism: 1 }), [tracked('a', 'Running'), tracked('b', 'Pending')], { create: 0, remove: 1 }],
	[
		'the missing indexes',
		job({ parallelism: 3, completions: 3, completionMode: 'Indexed' }),
		[tracked('a', 'Running', { index: 1 })],
		{ indexes: [0, 2], remove: 0 },
	],
	[
		'what runs goes on after the first success, however few may run now',
		job({ parallelism: 1 }),
		[tracked('a', 'Succeeded'), tracked('b', 'Running'), tracked('c', 'Running')],
		{ create: 0, remove: 0 },
	],
	['a wait after a failure', job({}), [tracked('a', 'Failed', { ended: NOW - 4000 })], { create: 0, remove: 0, waitMs: 6000 }],
	[
		'a doubled wait after two',
		job({}),
		[tracked('a', 'Failed', { ended: NOW - 9000 }), tracked('b', 'Failed', { ended: NOW })],
		{ create: 0, remove: 0, waitMs: 20_000 },
	],
] as const)
	test(`planJob(): ${name}`, (t) => {
		const plan = planJob(one, pods, tally(one, pods), NOW);
		if (plan.type !== 'scale') return t.fail(plan.type);
		t.is(plan.remove.length, want.remove);
		if ('indexes' in want) t.deepEqual(plan.create, want.indexes);
		else t.is(plan.create.length, want.create);
		t.is(plan.waitMs, 'waitMs' in want ? want.waitMs : undefined);
	});

for (const [name, one, pods, want] of [
	['enough have succeeded', job({ completions: 1 }), [tracked('a', 'Succeeded')], 'CompletionsReached'],
	['too many failed', job({ backoffLimit: 0 }), [tracked('a', 'Failed')], 'BackoffLimitExceeded'],
	['its time is up', job({ activeDeadlineSeconds: 5 }, { startTime: '2025-12-31T23:59:50Z' }), [], 'DeadlineExceeded'],
	[
		'a failure that its policy does not forgive',
		job({ podFailurePolicy: { rules: [{ action: 'FailJob', onPodConditions: [{ type: 'X', status: 'True' }] }] } }),
		[{ ...tracked('a', 'Failed'), status: { phase: 'Failed', conditions: [{ type: 'X', status: 'True' }] } } as Pod],
		'PodFailurePolicy',
	],
] as const)
	test(`planJob(): finished because ${name}`, (t) => {
		const plan = planJob(one, pods, tally(one, pods), NOW);
		t.is(plan.type === 'finish' ? plan.reason : plan.type, want);
	});

test('statusOf(): the final condition waits until every pod is counted', (t) => {
	const one = job({ completions: 1 });
	const pods = [tracked('a', 'Succeeded')];
	const count = tally(one, pods);
	const early = statusOf(one, pods, count, planJob(one, pods, count, NOW), { created: 0, removed: 0 }, AT);
	t.deepEqual(
		early.conditions?.map((c) => c.type),
		['SuccessCriteriaMet'],
	);
	const then = { ...one, status: early };
	const after = tally(then, []);
	const late = statusOf(then, [], after, planJob(then, [], after, NOW), { created: 0, removed: 0 }, AT);
	t.deepEqual(
		late.conditions?.map((c) => c.type),
		['SuccessCriteriaMet', 'Complete'],
	);
	t.is(late.completionTime, AT);
	t.is(late.succeeded, 1);
});

// Endpoint slices

const service = (spec: object): Service => ({ metadata: { name: 's', namespace: 'n', uid: 'su' }, spec });
const pod = (
	name: string,
	more: { readonly ip?: string; readonly ready?: boolean; readonly deleting?: boolean; readonly phase?: string } = {},
): Pod => ({
	metadata: { name, namespace: 'n', uid: name, ...(more.deleting === true ? { deletionTimestamp: AT } : {}) },
	spec: { nodeName: 'n1', containers: [{ name: 'c', ports: [{ name: 'web', containerPort: 8080 }] }] },
	status: {
		phase: more.phase ?? 'Running',
		podIP: more.ip ?? '10.0.0.1',
		conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True' }],
	},
});
const anyNode = (): Node => ({ metadata: { name: 'n1' } });

for (const [name, one, want] of [
	['ready', pod('a'), { ready: true, serving: true, terminating: false }],
	['not ready', pod('a', { ready: false }), { ready: false, serving: false, terminating: false }],
	['going but serving', pod('a', { deleting: true }), { ready: false, serving: true, terminating: true }],
] as const)
	test(`wantedEndpoints(): a pod that is ${name}`, (t) => {
		const [group] = wantedEndpoints(service({ ports: [{ port: 80, targetPort: 'web' }] }), [one], anyNode, 'IPv4');
		t.deepEqual(group?.endpoints[0]?.conditions, want);
		t.is(group?.ports[0]?.port, 8080);
	});

test('wantedEndpoints(): pods that are over or have no address do not count', (t) => {
	t.deepEqual(wantedEndpoints(service({}), [pod('a', { phase: 'Succeeded' }), pod('b', { ip: '' })], anyNode, 'IPv4'), []);
});

// Nodes

const node = (ready: string | undefined, taints: Taint[] = [], more: object = {}): Node => ({
	metadata: { name: 'n1' },
	spec: { taints, ...more },
	status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
});
const keys = (taints: readonly Taint[]): readonly string[] => taints.map((t) => `${t.key.replace('node.kubernetes.io/', '')}:${t.effect}`);

for (const [name, one, evict, want] of [
	['ready', node('True', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]), true, []],
	['not ready', node('False'), true, ['not-ready:NoSchedule', 'not-ready:NoExecute']],
	['lost', node('Unknown'), true, ['unreachable:NoSchedule', 'unreachable:NoExecute']],
	['lost with all others', node('Unknown'), false, ['unreachable:NoSchedule']],
	[
		'silent since it was made',
		node(undefined, [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]),
		true,
		['not-ready:NoSchedule'],
	],
	[
		'cordoned',
		node('True', [{ key: 'x', effect: 'NoExecute' }], { unschedulable: true }),
		true,
		['x:NoExecute', 'unschedulable:NoSchedule'],
	],
] as const)
	test(`wantedTaints(): a node that is ${name}`, (t) => t.deepEqual(keys(wantedTaints(one, evict, AT)), [...want]));

test('unknownConditions(): all Unknown once, then nothing more to say', (t) => {
	const conditions = unknownConditions(node('True'), AT);
	t.deepEqual(conditions?.map((c) => `${c.type} ${c.reason}`).sort(), [
		'DiskPressure NodeStatusNeverUpdated',
		'MemoryPressure NodeStatusNeverUpdated',
		'PIDPressure NodeStatusNeverUpdated',
		'Ready NodeStatusUnknown',
	]);
	t.is(unknownConditions({ ...node('True'), status: { conditions: [...(conditions ?? [])] } }, AT), undefined);
});

const harsh = [{ key: 'k', effect: 'NoExecute', timeAdded: AT }];
for (const [name, taints, tolerations, want] of [
	['no taint', [], [], { type: 'stay' }],
	['a taint that only concerns scheduling', [{ key: 'k', effect: 'NoSchedule' }], [], { type: 'stay' }],
	['no toleration', harsh, [], { type: 'leave' }],
	['a toleration for ever', harsh, [{ key: 'k', operator: 'Exists' }], { type: 'stay' }],
	['a toleration for 300 s', harsh, [{ key: 'k', operator: 'Exists', tolerationSeconds: 300 }], { type: 'bears', ms: 300_000 }],
	[
		'the shortest of two',
		harsh,
		[
			{ operator: 'Exists', tolerationSeconds: 30 },
			{ key: 'k', operator: 'Exists', tolerationSeconds: 9 },
		],
		{ type: 'bears', ms: 9000 },
	],
] as const)
	test(`stayOf(): ${name}`, (t) => t.deepEqual(stayOf(taints, tolerations), want));

// Garbage

const ref = (uid: string, more: object = {}): OwnerReference => ({ apiVersion: 'v1', kind: 'K', name: uid, uid, ...more });
const owned = (...states: OwnerState[]) => states.map((state, i) => ({ ref: ref(`o${i}`), state }));
for (const [name, owners, own, want] of [
	['no owner', owned(), { finalizers: [], hasDependents: false }, { type: 'keep' }],
	['a living owner', owned('solid'), { finalizers: [], hasDependents: false }, { type: 'keep' }],
	['one of two gone', owned('solid', 'dangling'), { finalizers: [], hasDependents: false }, { type: 'unlink', keep: [ref('o0')] }],
	['all gone', owned('dangling'), { finalizers: [], hasDependents: false }, { type: 'delete', policy: 'Background' }],
	[
		'an owner that waits, with dependents of its own',
		owned('waiting'),
		{ finalizers: [], hasDependents: true },
		{ type: 'delete', policy: 'Foreground' },
	],
	[
		'all gone, but it asked to orphan',
		owned('dangling'),
		{ finalizers: ['orphan'], hasDependents: true },
		{ type: 'delete', policy: 'Orphan' },
	],
] as const)
	test(`fateOf(): ${name}`, (t) => t.deepEqual(fateOf(owners, own), want as ReturnType<typeof fateOf>));

test('OwnerGraph: dependents are looked at when their owner goes, owners when their last dependent does', (t) => {
	const graph = new OwnerGraph();
	const kind = { group: '', version: 'v1', kind: 'K', plural: 'ks' } as DiscoveredResource;
	const object = (uid: string, owners: OwnerReference[], more: object = {}): KubeObject => ({
		metadata: { name: uid, uid, ownerReferences: owners, ...more },
	});
	t.deepEqual(graph.observe(kind, object('owner', [])), []);
	t.deepEqual(graph.observe(kind, object('child', [ref('owner')])), []);
	t.deepEqual(graph.observe(kind, object('stray', [ref('nobody')])), ['stray']);
	t.deepEqual(graph.observe(kind, object('owner', [], { deletionTimestamp: AT, finalizers: ['foregroundDeletion'] })), ['child', 'owner']);
	t.deepEqual(graph.forget('child'), ['owner']);
	t.deepEqual(graph.observe(kind, object('late', [ref('owner')])), ['late']);
	t.deepEqual(graph.forget('owner'), ['late']);
	t.true(graph.absent.has(ref('owner'), undefined));
	t.false(graph.absent.has({ ...ref('owner'), kind: 'L' }, undefined));
	t.is(graph.size, 2);
	t.deepEqual(graph.observe({ ...kind, group: 'other' }, object('plain', [])), []);
	t.true(graph.has('plain'));
	t.deepEqual([...graph.uidsOf({ ...kind, version: 'v2' })], ['stray', 'late']);
	t.deepEqual(graph.observe(kind, object('late', [])), []);
	t.deepEqual(graph.forget('late'), []);
	t.deepEqual(graph.observe(kind, object('plain', [ref('nobody')])), ['plain']);
	t.is(graph.size, 2);
});

// Namespaces and discovery

test('terminatingConditions(): says what is left, and keeps the time of what did not change', (t) => {
	const progress = { contentErrors: [], remaining: new Map([['pods.', 2]]), finalizers: new Map([['x.io/f', 1]]) };
	const first = terminatingConditions([], progress, AT);
	t.is(first.find((c) => c.type === 'NamespaceContentRemaining')?.message, 'Some resources are remaining: pods. has 2 resource instances');
	t.is(first.find((c) => c.type === 'NamespaceFinalizersRemaining')?.status, 'True');
	const second = terminatingConditions(first, { ...progress, finalizers: new Map() }, '2026-01-01T00:01:00Z');
	t.is(second.find((c) => c.type === 'NamespaceContentRemaining')?.lastTransitionTime, AT);
	t.is(second.find((c) => c.type === 'NamespaceFinalizersRemaining')?.lastTransitionTime, '2026-01-01T00:01:00Z');
});

test('preferred(): a resource of several versions counts once, in the first', (t) => {
	const resource = { resource: 'hs', scope: 'Namespaced', verbs: ['list'], responseKind: { kind: 'H' } };
	const list = {
		items: [
			{
				metadata: { name: 'g' },
				versions: [
					{ version: 'v2', resources: [resource] },
					{ version: 'v1', resources: [resource] },
				],
			},
		],
	};
	t.deepEqual(
		preferred(list).map((r) => `${r.group}/${r.version}/${r.plural}`),
		['g/v2/hs'],
	);
});
