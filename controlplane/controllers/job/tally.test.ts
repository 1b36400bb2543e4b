import test from 'ava';
import type { Job, Pod } from '../../../api/gen/types.ts';
import { planJob } from './plan.ts';
import { INDEX_ANNOTATION, TRACKING_FINALIZER } from './pods.ts';
import { lettingGo, tally } from './tally.ts';

const pods = (count: number, phase: string, indexes = false): readonly Pod[] =>
	Array.from({ length: count }, (_, i) => ({
		metadata: {
			...{ name: `p${i}`, uid: `u${i}`, finalizers: [TRACKING_FINALIZER] },
			...(indexes ? { annotations: { [INDEX_ANNOTATION]: String(i) } } : {}),
		},
		status: { phase },
	}));
const job = (spec: object = {}): Job => ({ metadata: { name: 'j' }, spec }) as unknown as Job;
const INDEXED = { completionMode: 'Indexed', completions: 600 };

for (const [rule, one, phase, indexes] of [
	['that failed', job(), 'Failed', false],
	['that succeeded', job(), 'Succeeded', false],
	['that have completed their indexes', job(INDEXED), 'Succeeded', true],
] as const)
	test(`of many pods ${rule} so many are counted at once`, (t) => {
		t.is(tally(one, pods(600, phase, indexes)).release.length, 500);
		t.is(tally(one, pods(400, phase, indexes)).release.length, 400);
	});

for (const [rule, phase] of [
	['failed', 'Failed'],
	['succeeded', 'Succeeded'],
] as const)
	test(`pods that ${rule} and wait for the next count are not made again`, (t) => {
		const one = job({ completions: 600, parallelism: 600, backoffLimit: 550, template: {} });
		const all = pods(600, phase);
		const count = tally(one, all);
		t.is(count[rule], 600);
		t.is(planJob(one, all, count, 0).type, 'finish');
	});

test('pods that were written down, but not let go before a crash, are let go though they are as many as may wait', (t) => {
	const known = pods(500, 'Failed');
	const one = { ...job(), status: { uncountedTerminatedPods: { failed: known.map(({ metadata }) => metadata.uid ?? '') } } };
	const { release, failed } = tally(one, [...pods(600, 'Failed').slice(500), ...known]);
	t.deepEqual(release, known);
	t.is(failed, 600);
});

test('of a Job that ends no more are let go at once', (t) => {
	const running = pods(600, 'Running');
	const ended = lettingGo(job(), running, tally(job(), running), false);
	t.is(ended.release.length, 500);
	t.is(ended.status.uncountedTerminatedPods?.failed?.length, 500);
});

test('of an indexed Job a failed pod without an index counts for nothing', (t) => {
	t.is(tally(job({ ...INDEXED, completions: 2 }), pods(3, 'Failed', true)).failed, 2);
	t.is(tally(job(INDEXED), pods(3, 'Failed')).failed, 0);
});
