import test from 'ava';
import type { Job, Pod } from '../../../api/gen/types.ts';
import { failuresAfter } from './index-failures.ts';
import { makePod } from './make-pod.ts';
import { planJob } from './plan.ts';
import { tally } from './tally.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const job = (spec: object, status: object = {}): Job => ({
	metadata: { name: 'j', uid: 'ju' },
	spec: { template: { spec: { containers: [] } }, completionMode: 'Indexed', completions: 3, parallelism: 3, ...spec },
	status,
});

/** Ended at NOW. */
const pod = (index: number, phase: string, failures = 0, exitCode = 1): Pod =>
	({
		metadata: {
			name: `p${index}-${failures}`,
			uid: `p${index}-${failures}`,
			finalizers: ['batch.kubernetes.io/job-tracking'],
			annotations: {
				'batch.kubernetes.io/job-completion-index': String(index),
				'batch.kubernetes.io/job-index-failure-count': String(failures),
			},
		},
		spec: { nodeName: 'n', containers: [] },
		status: { phase, containerStatuses: [{ name: 'c', state: { terminated: { exitCode, finishedAt: new Date(NOW).toISOString() } } }] },
	}) as unknown as Pod;

const onExit = (action: string) => ({ podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }] } });

for (const [rule, one, pods, want] of [
	['an index is tried again while its limit lasts', job({ backoffLimitPerIndex: 1 }), [pod(0, 'Failed')], { failedIndexes: '', kept: [0] }],
	['beyond its limit it has failed', job({ backoffLimitPerIndex: 1 }), [pod(0, 'Failed', 1)], { failedIndexes: '0', kept: [] }],
	[
		'what has failed stays so',
		job({ backoffLimitPerIndex: 0 }, { failedIndexes: '2' }),
		[pod(0, 'Failed')],
		{ failedIndexes: '0,2', kept: [] },
	],
	[
		'FailIndex needs no second failure',
		job({ backoffLimitPerIndex: 5, ...onExit('FailIndex') }),
		[pod(1, 'Failed', 0, 42)],
		{ failedIndexes: '1', kept: [] },
	],
	[
		'Ignore counts for nothing',
		job({ backoffLimitPerIndex: 0, ...onExit('Ignore') }),
		[pod(1, 'Failed', 0, 42)],
		{ failedIndexes: '', kept: [1] },
	],
	[
		'a pod with a successor is let go',
		job({ backoffLimitPerIndex: 2 }),
		[pod(0, 'Failed'), pod(0, 'Running', 1)],
		{ failedIndexes: '', kept: [] },
	],
] as const)
	test(`backoffLimitPerIndex: ${rule}`, (t) => {
		const count = tally(one, pods);
		t.is(count.status.failedIndexes, want.failedIndexes);
		t.deepEqual([...count.replaced.keys()], [...want.kept]);
		const isFailed = (p: Pod): boolean => p.status?.phase === 'Failed';
		t.is(count.release.length, pods.filter(isFailed).length - want.kept.length);
	});

test('backoffLimitPerIndex: an index waits for itself alone, and its next pod says how often it has failed', (t) => {
	const one = job({ backoffLimitPerIndex: 3 });
	const failed = pod(0, 'Failed', 1);
	const plan = planJob(one, [failed], tally(one, [failed]), NOW);
	t.like(plan, { type: 'scale', create: [1, 2], waitMs: 20_000 });
	const next = makePod(one, 0, failuresAfter(one, failed)).metadata.annotations;
	t.is(next?.['batch.kubernetes.io/job-index-failure-count'], '2');
	const ignoring = job({ backoffLimitPerIndex: 3, ...onExit('Ignore') });
	t.deepEqual(failuresAfter(ignoring, pod(0, 'Failed', 1, 42)), { counted: 1, ignored: 1 });
});

for (const [why, one, pods, success, reason] of [
	[
		'more indexes failed than may',
		job({ backoffLimitPerIndex: 0, maxFailedIndexes: 0 }),
		[pod(0, 'Failed')],
		false,
		'MaxFailedIndexesExceeded',
	],
	[
		'all are over, and some failed',
		job({ backoffLimitPerIndex: 0 }),
		[pod(0, 'Failed'), pod(1, 'Succeeded'), pod(2, 'Succeeded')],
		false,
		'FailedIndexes',
	],
	['one success is enough', job({ successPolicy: { rules: [{ succeededCount: 1 }] } }), [pod(1, 'Succeeded')], true, 'SuccessPolicy'],
	[
		'the indexes that matter have succeeded',
		job({ successPolicy: { rules: [{ succeededIndexes: '0' }, { succeededIndexes: '1-2', succeededCount: 1 }] } }),
		[pod(2, 'Succeeded')],
		true,
		'SuccessPolicy',
	],
	[
		'it had succeeded before a pod failed it',
		job(
			{ backoffLimit: 0 },
			{ conditions: [{ type: 'SuccessCriteriaMet', status: 'True', reason: 'SuccessPolicy', message: 'Matched rules at index 0' }] },
		),
		[pod(1, 'Failed')],
		true,
		'SuccessPolicy',
	],
] as const)
	test(`planJob(): finished, since ${why}`, (t) => {
		t.like(planJob(one, pods, tally(one, pods), NOW), { type: 'finish', success, reason });
	});

test('planJob(): without the index that its rule asks for it goes on', (t) => {
	const one = job({ successPolicy: { rules: [{ succeededIndexes: '0' }] } });
	t.like(planJob(one, [pod(1, 'Succeeded')], tally(one, [pod(1, 'Succeeded')]), NOW), { type: 'scale', create: [0, 2] });
});

test('tally(): a failure that the policy ignores is let go uncounted', (t) => {
	const one = job(onExit('Ignore'));
	const count = tally(one, [pod(0, 'Failed', 0, 42)]);
	t.deepEqual([count.failed, count.release.length, count.status.uncountedTerminatedPods], [0, 1, {}]);
});

/** Active. */
const running = (name: string, index: number | undefined, isReady: boolean, created: string): Pod =>
	({
		metadata: {
			name,
			uid: name,
			creationTimestamp: created,
			...(index === undefined ? {} : { annotations: { 'batch.kubernetes.io/job-completion-index': String(index) } }),
		},
		spec: { nodeName: 'n', containers: [] },
		status: { phase: 'Running', conditions: isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: created }] : [] },
	}) as unknown as Pod;

for (const [rule, one, pods, remove] of [
	[
		'of two pods of an index the more useful one stays, and nothing is made until the other is seen to go',
		job({}),
		[running('a', 0, false, '2025-12-01T00:00:00Z'), running('b', 0, true, '2025-12-02T00:00:00Z')],
		['a'],
	],
	['a pod of no index of the Job goes', job({ completions: 2 }), [running('a', 2, true, '2025-12-01T00:00:00Z')], ['a']],
	[
		'beyond the parallelism the youngest go, unready ones first',
		job({ completionMode: 'NonIndexed', completions: 3, parallelism: 1 }),
		[
			running('old', undefined, true, '2025-12-01T00:00:00Z'),
			running('young', undefined, true, '2025-12-02T00:00:00Z'),
			running('unready', undefined, false, '2025-11-01T00:00:00Z'),
		],
		['unready', 'young'],
	],
] as const)
	test(`planJob(): ${rule}`, (t) => {
		const plan = planJob(one, pods, tally(one, pods), NOW);
		t.like(plan, { type: 'scale', create: [] });
		t.deepEqual(plan.type === 'scale' && plan.remove.map((p) => p.metadata.name), remove);
	});
