/** What is told of Jobs: metrics, and events at their ends. */
import test from 'ava';
import type { Pod } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { JOBS, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';

type Told = (name: string) => Promise<readonly string[]>;

async function withMetrics(body: (cluster: ControlledCluster, told: Told) => Promise<void>): Promise<void> {
	const metrics = createMetrics();
	const told: Told = async (name) =>
		(await metrics.metrics())
			.split('\n')
			.filter((line) => line.startsWith(`job_controller_${name}{`))
			.map((line) => line.slice(`job_controller_${name}`.length))
			.toSorted();
	await controlledCluster(
		async (cluster) => {
			await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await body(cluster, told);
		},
		{ only: ['job-controller'], more: { metrics } },
	);
}

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const failed = (exitCode: number): Pod['status'] => ({
	phase: 'Failed',
	containerStatuses: [{ name: 'c', image: 'i', imageID: 'i', ready: false, restartCount: 0, state: { terminated: { exitCode } } }],
});

test('a Job that fails once and then succeeds', (t) =>
	withMetrics(async ({ client, pass, report, refusals }, told) => {
		const rules = [{ action: 'Count', onExitCodes: { operator: 'In', values: [2] } }];
		await client.create(JOBS, { metadata: { namespace: 'default', name: 'j' }, spec: { podFailurePolicy: { rules }, template } });
		await pass();
		const running = async (): Promise<Pod | undefined> =>
			(await client.list(PODS)).items.find(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded');
		await report(keyOf((await running()) as never), failed(2));
		await pass(12_000);
		await report(keyOf((await running()) as never), { phase: 'Succeeded' });
		await pass();
		t.deepEqual(await told('jobs_finished_total'), ['{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"} 1']);
		t.deepEqual(await told('job_pods_finished_total'), [
			'{completion_mode="NonIndexed",result="failed"} 1',
			'{completion_mode="NonIndexed",result="succeeded"} 1',
		]);
		t.deepEqual(await told('pod_failures_handled_by_failure_policy_total'), ['{action="Count"} 1']);
		t.deepEqual(await told('terminated_pods_tracking_finalizer_total'), ['{event="add"} 2', '{event="delete"} 2']);
		t.deepEqual(await told('job_pods_creation_total'), [
			'{reason="new",status="succeeded"} 1',
			'{reason="recreate_failed",status="succeeded"} 1',
		]);
		const syncs = await told('job_syncs_total');
		for (const action of ['pods_created', 'tracking'])
			t.true(
				syncs.some((line) => line.startsWith(`{completion_mode="NonIndexed",result="success",action="${action}"}`)),
				syncs.join('\n'),
			);
		t.is((await told('job_sync_duration_seconds_count')).length, syncs.length);
		t.deepEqual(refusals, []);
	}));

test('indexes of a Job, and Jobs of another controller', (t) =>
	withMetrics(async ({ client, pass, report }, told) => {
		const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 0, template };
		await client.create(JOBS, { metadata: { namespace: 'default', name: 'i' }, spec });
		await client.create(JOBS, { metadata: { namespace: 'default', name: 'k' }, spec: { managedBy: 'example.com/k', template } });
		await pass();
		const { items } = await client.list(PODS);
		t.is(items.length, 2);
		await report(keyOf(items[0] as never), failed(1));
		await report(keyOf(items[1] as never), { phase: 'Succeeded' });
		await pass();
		t.deepEqual(await told('job_finished_indexes_total'), [
			'{status="failed",backoffLimit="perIndex"} 1',
			'{status="succeeded",backoffLimit="perIndex"} 1',
		]);
		t.deepEqual(await told('jobs_finished_total'), ['{completion_mode="Indexed",result="failed",reason="FailedIndexes"} 1']);
		t.deepEqual(await told('jobs_by_external_controller_total'), ['{controller_name="example.com/k"} 1']);
	}));

test('more pods succeed than were asked for', (t) =>
	withMetrics(async ({ client, pass, report, events }) => {
		const spec = { completions: 2, parallelism: 2, template };
		await client.create(JOBS, { metadata: { namespace: 'default', name: 'm' }, spec });
		await pass();
		const [first] = (await client.list(PODS)).items;
		const { name: _, generateName: __, uid: ___, resourceVersion: ____, ...metadata } = first?.metadata ?? {};
		const third = await client.create(PODS, { metadata: { ...metadata, name: 'third' }, spec: template.spec });
		const all = [...(await client.list(PODS)).items.filter((pod) => pod.metadata.name !== 'third'), third];
		for (const pod of all) await report(keyOf(pod as never), { phase: 'Succeeded' });
		await pass();
		t.true((await events('m')).includes('TooManySucceededPods: Too many succeeded pods running after completion count reached'));
	}));
