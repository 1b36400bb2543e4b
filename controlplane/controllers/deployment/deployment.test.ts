import test from 'ava';
import type { Deployment, ReplicaSet } from '../../../api/gen/types.ts';
import { historyToDelete, newReplicaSetOf, newSetAnnotations, nextRevision, sameTemplate, templateHash } from './revision.ts';
import { fenceposts, isScalingEvent, newSetReplicas, oldSetScales, proportionalScales } from './rolling.ts';
import { isComplete, msUntilDeadline, statusOf } from './status.ts';

const NOW = Date.UTC(2026, 0, 1);

function deployment(
	replicas: number,
	rolling: { maxSurge?: number | string; maxUnavailable?: number | string } = {},
	more: Partial<Deployment> = {},
): Deployment {
	return {
		metadata: { name: 'd', generation: 1 },
		spec: {
			replicas,
			selector: {},
			template: { spec: { containers: [] } },
			strategy: { type: 'RollingUpdate', rollingUpdate: rolling },
			progressDeadlineSeconds: 600,
		},
		...more,
	};
}

function set(name: string, replicas: number, available = replicas, annotations: Record<string, string> = {}): ReplicaSet {
	return {
		metadata: { name, creationTimestamp: `2026-01-01T00:00:0${name.length}Z`, generation: 1, annotations },
		spec: { replicas, selector: {} },
		status: { replicas, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
	};
}

for (const [name, replicas, rolling, want] of [
	['the default is a quarter each, surge rounded up and unavailable down', 10, {}, { surge: 3, unavailable: 2 }],
	['numbers are taken as they are', 10, { maxSurge: 1, maxUnavailable: 0 }, { surge: 1, unavailable: 0 }],
	['both zero after rounding: one may be unavailable', 1, { maxSurge: 0, maxUnavailable: '25%' }, { surge: 0, unavailable: 1 }],
	['never more unavailable than there are', 2, { maxUnavailable: 5, maxSurge: 0 }, { surge: 0, unavailable: 2 }],
] as const)
	test(`fenceposts(): ${name}`, (t) => t.deepEqual(fenceposts(deployment(replicas, rolling)), want));

for (const [name, d, sets, fresh, want] of [
	['a new set grows into the surge', deployment(10, { maxSurge: 3, maxUnavailable: 2 }), [set('old', 10)], set('fresh', 0), 3],
	['and not past the desired size', deployment(2, { maxSurge: 5 }), [set('old', 1)], set('fresh', 0), 2],
	['no room: it stays', deployment(10, { maxSurge: 0, maxUnavailable: 1 }), [set('old', 10)], set('fresh', 0), 0],
	['too large: it shrinks at once', deployment(1), [], set('fresh', 4), 1],
] as const)
	test(`newSetReplicas(): ${name}`, (t) => t.is(newSetReplicas(d, [...sets, fresh], fresh), want));

for (const [name, d, old, fresh, want] of [
	[
		'healthy pods go as far as availability allows',
		deployment(10, { maxSurge: 3, maxUnavailable: 2 }),
		[set('old', 10)],
		set('fresh', 3, 0),
		[{ name: 'old', replicas: 8 }],
	],
	[
		'unhealthy ones go first',
		deployment(10, { maxSurge: 3, maxUnavailable: 2 }),
		[set('old', 10, 8)],
		set('fresh', 3, 0),
		[{ name: 'old', replicas: 8 }],
	],
	['nothing to spare: they stay', deployment(2, { maxSurge: 1, maxUnavailable: 0 }), [set('old', 2)], set('fresh', 1, 0), []],
	[
		'the new set is there: the old ones end',
		deployment(2, { maxSurge: 1, maxUnavailable: 0 }),
		[set('old', 1)],
		set('fresh', 2),
		[{ name: 'old', replicas: 0 }],
	],
] as const)
	test(`oldSetScales(): ${name}`, (t) => t.deepEqual(oldSetScales(d, old, fresh), want));

test('scaling in the middle of a rolling update keeps proportions', (t) => {
	const annotations = { 'deployment.kubernetes.io/desired-replicas': '10', 'deployment.kubernetes.io/max-replicas': '13' };
	const d = deployment(20, { maxSurge: 3, maxUnavailable: 2 });
	const [old, fresh] = [set('old', 8, 8, annotations), set('fresh', 5, 3, annotations)];
	t.true(isScalingEvent(d, [old, fresh]));
	const sizes = Object.fromEntries(proportionalScales(d, fresh, [old]).map((s) => [s.name, s.replicas]));
	t.is((sizes['old'] ?? 0) + (sizes['fresh'] ?? 0), 23);
	t.deepEqual(sizes, { old: 14, fresh: 9 });
	t.deepEqual(proportionalScales(d, set('fresh', 10, 10, annotations), []), [{ name: 'fresh', replicas: 20 }]);
});

test('the same template is found whatever its hash label says', (t) => {
	const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [] } };
	const labelled = { metadata: { labels: { app: 'a', 'pod-template-hash': 'x' } }, spec: { containers: [] } };
	t.true(sameTemplate(template, labelled));
	t.not(templateHash(template, 0), templateHash(template, 1));
	t.is(templateHash(template, 0), templateHash({ spec: { containers: [] }, metadata: { labels: { app: 'a' } } }, 0));
	const d = { ...deployment(1), spec: { ...deployment(1).spec, selector: {}, template } };
	const rs = { ...set('a', 1), spec: { selector: {}, template: labelled } };
	t.is(newReplicaSetOf(d, [rs])?.metadata.name, 'a');
});

test('revisions: numbers go up, history is kept, kubectl annotations are not copied', (t) => {
	const d = deployment(
		1,
		{},
		{
			metadata: {
				name: 'd',
				annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'deployment.kubernetes.io/revision': '7' },
			},
		},
	);
	t.deepEqual(newSetAnnotations(d, undefined, 1n), { note: 'x', 'deployment.kubernetes.io/revision': '1' });
	t.deepEqual(newSetAnnotations(d, set('a', 1, 1, { 'deployment.kubernetes.io/revision': '1' }), 3n), {
		note: 'x',
		'deployment.kubernetes.io/revision': '3',
		'deployment.kubernetes.io/revision-history': '1',
	});
	const adopted = ['3546343826724305832', '9', '99999999999999999999', '-4', 'x'];
	t.is(nextRevision(adopted.map((r) => set('s', 0, 0, { 'deployment.kubernetes.io/revision': r }))), 3546343826724305833n);
	const old = ['1', '2', '3'].map((r) => set(`s${r}`, 0, 0, { 'deployment.kubernetes.io/revision': r }));
	const limited = { ...d, spec: { ...deployment(1).spec, selector: {}, template: {}, revisionHistoryLimit: 1 } };
	t.deepEqual(
		historyToDelete(limited, old).map((rs) => rs.metadata.name),
		['s1', 's2'],
	);
});

test('conditions: from available to complete to a missed deadline', (t) => {
	const d = deployment(1);
	const fresh = set('fresh', 1, 0);
	const started = statusOf(
		d,
		{ fresh, all: [fresh], note: { reason: 'NewReplicaSetCreated', message: 'Created new replica set "fresh"' } },
		NOW,
	);
	const condition = (status: typeof started, type: string) => status.conditions?.find((c) => c.type === type);
	t.like(condition(started, 'Progressing'), { status: 'True', reason: 'NewReplicaSetCreated' });
	t.like(condition(started, 'Available'), { status: 'False', reason: 'MinimumReplicasUnavailable' });
	t.is(msUntilDeadline({ ...d, status: started }, started, NOW), 601_000);
	const late = statusOf({ ...d, status: started }, { fresh, all: [fresh] }, NOW + 600_000);
	t.like(condition(late, 'Progressing'), {
		status: 'False',
		reason: 'ProgressDeadlineExceeded',
		message: 'ReplicaSet "fresh" has timed out progressing.',
	});
	const up = set('fresh', 1);
	const done = statusOf({ ...d, status: started }, { fresh: up, all: [up] }, NOW + 1000);
	t.true(isComplete(d, done));
	t.like(condition(done, 'Progressing'), {
		status: 'True',
		reason: 'NewReplicaSetAvailable',
		message: 'ReplicaSet "fresh" has successfully progressed.',
	});
	t.like(condition(done, 'Available'), { status: 'True', reason: 'MinimumReplicasAvailable' });
});

test('statusOf(): without a deadline no progress is told of, and failures of the new set come first', (t) => {
	const d = deployment(2, {}, { status: { conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }] } });
	const failing = (name: string): ReplicaSet => ({
		...set(name, 1),
		status: { replicas: 1, conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: name }] },
	});
	const [old, fresh] = [failing('old'), failing('fresh')];
	const endless = { ...d, spec: { ...d.spec, progressDeadlineSeconds: 2 ** 31 - 1 } } as Deployment;
	const { conditions = [] } = statusOf(endless, { fresh, all: [old, fresh] }, NOW);
	t.deepEqual(
		conditions.map(({ type, message }) => [type, message]),
		[
			['Available', 'Deployment does not have minimum availability.'],
			['ReplicaFailure', 'fresh'],
		],
	);
});

for (const [rule, d, sets, want] of [
	[
		'down to nothing all go, whatever the surge',
		deployment(0, { maxSurge: 4 }),
		[set('a', 6, 6, { 'deployment.kubernetes.io/max-replicas': '8' }), set('bb', 2, 2, { 'deployment.kubernetes.io/max-replicas': '8' })],
		[0, 0],
	],
	['sizes that nobody knows any more: the largest takes all', deployment(6, { maxSurge: 0 }), [set('a', 2, 0), set('bb', 1, 0)], [5, 1]],
] as const)
	test(`proportionalScales(): ${rule}`, (t) => {
		const [fresh, ...old] = sets;
		t.deepEqual(
			proportionalScales(d, fresh, old).map(({ replicas }) => replicas),
			[...want],
		);
	});
