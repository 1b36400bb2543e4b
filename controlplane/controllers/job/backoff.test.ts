/** What a Job remembers of failures, and how long it waits after them. */
import test from 'ava';
import type { Job, Pod } from '../../../api/gen/types.ts';
import { JOBS, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { backoffMs, recordAfter } from './backoff.ts';
import { planJob } from './plan.ts';
import { tally } from './tally.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
const ended = (uid: string, phase: string, seconds: number): Pod => ({
	metadata: { uid, name: uid, finalizers: ['batch.kubernetes.io/job-tracking'] },
	status: {
		phase,
		containerStatuses: [
			{ name: 'c', state: { terminated: { exitCode: 1, finishedAt: at(seconds) } } } as NonNullable<
				NonNullable<Pod['status']>['containerStatuses']
			>[number],
		],
	},
});
const job: Job = { metadata: { name: 'j' }, spec: { completions: 1, template: { spec: { containers: [], restartPolicy: 'Never' } } } };

for (const [name, looks, want] of [
	['nothing ended', [[]], [0, 0]],
	['one failed', [[ended('a', 'Failed', 1)]], [1, 11_000]],
	['it is counted once', [[ended('a', 'Failed', 1)], [ended('a', 'Failed', 1)]], [1, 11_000]],
	['it is gone', [[ended('a', 'Failed', 1)], []], [1, 11_000]],
	['another fails after it has gone', [[ended('a', 'Failed', 1)], [], [ended('b', 'Failed', 20)]], [2, 40_000]],
	['one succeeds', [[ended('a', 'Failed', 1)], [ended('b', 'Succeeded', 2)]], [0, 0]],
	[
		'of those that end together only what failed later',
		[[ended('a', 'Failed', 1), ended('b', 'Succeeded', 2), ended('c', 'Failed', 3)]],
		[1, 13_000],
	],
	['at most ten minutes', [Array.from({ length: 9 }, (_, i) => ended(String(i), 'Failed', 1))], [9, 601_000]],
] as const)
	test(`recordAfter(): ${name}`, (t) => {
		const first = recordAfter(undefined, job, looks[0] ?? []);
		const last = looks.slice(1).reduce((record, pods) => recordAfter(record, job, pods), first);
		t.deepEqual([last.failures, backoffMs(last, NOW)], [...want]);
	});

test('a sidecar that ends last tells when its pod ended', (t) => {
	const pod = ended('a', 'Failed', 1);
	const sidecar = { ...pod.status?.containerStatuses?.[0], name: 's', state: { terminated: { exitCode: 0, finishedAt: at(5) } } };
	const spec = { containers: [], initContainers: [{ name: 's', restartPolicy: 'Always' }] };
	const with5 = { ...pod, spec, status: { ...pod.status, initContainerStatuses: [sidecar] } } as Pod;
	t.is(recordAfter(undefined, job, [with5]).lastFailureAt, NOW + 5000);
});

test('a failure that the policy ignores is waited after, too', (t) => {
	const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }];
	const one = { ...job, spec: { ...job.spec, podFailurePolicy: { rules } } } as Job;
	const pods = [ended('a', 'Failed', 0)];
	t.like(planJob(one, pods, tally(one, pods), NOW), { type: 'scale', create: [], waitMs: 10_000 });
});

test('restarts of a pod that is being deleted count against the limit', (t) => {
	const one = { ...job, spec: { ...job.spec, backoffLimit: 2, template: { spec: { containers: [], restartPolicy: 'OnFailure' } } } } as Job;
	const metadata = { uid: 'a', name: 'a', deletionTimestamp: at(0), finalizers: ['batch.kubernetes.io/job-tracking'] };
	const pods = [{ metadata, status: { phase: 'Running', containerStatuses: [{ name: 'c', restartCount: 2 }] } } as Pod];
	t.like(planJob(one, pods, tally(one, pods), NOW), { type: 'finish', reason: 'BackoffLimitExceeded' });
});

test('a pod that somebody deletes is replaced after the back-off, though it is gone by then', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
			await client.create(JOBS, { metadata: { namespace: 'default', name: 'j' }, spec: { template } });
			const names = async (): Promise<readonly string[]> => (await client.list(PODS)).items.map(({ metadata }) => metadata.name ?? '');
			await pass();
			const [first = ''] = await names();
			await client.delete(PODS, `default/${first}`, { gracePeriodSeconds: 0 });
			await pass(2000);
			t.deepEqual(await names(), []);
			await pass(10_000);
			t.is((await names()).length, 1);
		},
		{ only: ['job-controller'] },
	);
});
