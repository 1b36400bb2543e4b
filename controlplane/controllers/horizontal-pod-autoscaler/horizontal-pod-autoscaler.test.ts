import test from 'ava';
import type { HorizontalPodAutoscalerSpec, Pod } from '../../../api/gen/types.ts';
import type { Resource } from '../../../api/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, HORIZONTAL_POD_AUTOSCALERS, PODS, REPLICA_SETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { changing, NO_PAST, paced, recalling, type Past } from './pace.ts';
import type { Samples } from './samples.ts';
import { groupPods, replicasByAverage, replicasByUtilization, type Look } from './usage.ts';

const NOW = Date.UTC(2026, 0, 1, 1);
const at = (msAgo: number): string => new Date(NOW - msAgo).toISOString();

interface PodShape {
	readonly phase?: string;
	readonly ready?: boolean;
	readonly startedMsAgo?: number;
	readonly changedMsAgo?: number;
	readonly request?: string;
	readonly going?: boolean;
}

function podOf(name: string, shape: PodShape = {}): Pod {
	const { phase = 'Running', ready = true, startedMsAgo = 3_600_000, changedMsAgo = 3_500_000, request = '1', going = false } = shape;
	return {
		metadata: { name, ...(going ? { deletionTimestamp: at(0) } : {}) },
		spec: { containers: [{ name: 'c', resources: { requests: { cpu: request } } }] },
		status: {
			phase,
			startTime: at(startedMsAgo),
			conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at(changedMsAgo) }],
		},
	};
}

/** By pod: thousandths, or undefined for none. */
function samplesOf(values: readonly (number | undefined)[]): Samples {
	return new Map(values.flatMap((value, i) => (value === undefined ? [] : [[`p${i}`, { value, at: NOW, windowMs: 60_000 }] as const])));
}

const TOLERANCES = { up: 0.1, down: 0.1 };
const lookAt = (shapes: readonly PodShape[]): Look => ({
	pods: shapes.map((shape, i) => podOf(`p${i}`, shape)),
	current: shapes.length,
	tolerances: TOLERANCES,
	now: NOW,
});
const three = [{}, {}, {}];
const starting: PodShape = { ready: false, startedMsAgo: 10_000, changedMsAgo: 10_000 };

for (const [name, pods, used, percent, want] of [
	['grows by the ratio', three, [300, 500, 700], 30, { replicas: 5, utilization: 50, average: 500 }],
	['shrinks by the ratio', three, [100, 100, 100], 50, { replicas: 1, utilization: 10, average: 100 }],
	['stays within a tenth', three, [500, 520, 530], 50, { replicas: 3, utilization: 51, average: 516 }],
	['a pod without a sample uses nothing when growing', three, [900, 900, undefined], 50, { replicas: 4, utilization: 90, average: 900 }],
	['and all of its request when shrinking', three, [100, 100, undefined], 50, { replicas: 3, utilization: 10, average: 100 }],
	['a pod that starts uses nothing when growing', [{}, {}, starting], [900, 900, 900], 50, { replicas: 4, utilization: 90, average: 900 }],
	['and does not count when shrinking', [{}, {}, starting], [100, 100, 900], 50, { replicas: 1, utilization: 10, average: 100 }],
	['no turn of direction', three, [600, undefined, undefined], 50, { replicas: 3, utilization: 60, average: 600 }],
	[
		'pods that go do not count',
		[{}, { going: true }, { phase: 'Failed' }],
		[800, 0, 0],
		50,
		{ replicas: 2, utilization: 80, average: 800 },
	],
] as const)
	test(`replicasByUtilization(): ${name}`, (t) => {
		t.deepEqual(replicasByUtilization(lookAt(pods), samplesOf(used), 'cpu', '', percent), want);
	});

test('replicas by average: the same rules against a target of its own', (t) => {
	t.deepEqual(replicasByAverage(lookAt(three), samplesOf([20_000, 10_000, 30_000]), '', 15_000), { replicas: 4, average: 20_000 });
	t.deepEqual(replicasByAverage(lookAt(three), samplesOf([1000, undefined, 1000]), '', 15_000), { replicas: 2, average: 1000 });
});

for (const [name, look, used, message] of [
	['no pods', [], [], 'no pods returned by selector while calculating replica count'],
	['no samples', three, [], 'did not receive metrics for targeted pods (pods might be unready)'],
	['no request', [{ request: '0' }], [10], 'no metrics returned matched known pods'],
] as const)
	test(`replicasByUtilization() refuses ${name}`, (t) => {
		t.throws(() => replicasByUtilization(lookAt(look), samplesOf(used), 'cpu', '', 50), { message });
	});

test('a container without a request is named; that of the pod counts where it has one', (t) => {
	const pod = podOf('p0');
	pod.spec = { containers: [{ name: 'c', resources: {} }] };
	const look = { ...lookAt([{}]), pods: [pod] };
	t.throws(() => replicasByUtilization(look, samplesOf([1]), 'cpu', '', 50), {
		message: 'missing request for cpu in container c of Pod p0',
	});
	pod.spec = { ...pod.spec, resources: { requests: { cpu: '2' } } };
	t.is(replicasByUtilization(look, samplesOf([1000]), 'cpu', '', 25).replicas, 2);
});

for (const [name, shape, sampledMsAgo, unready] of [
	['in its first minutes, while it is not ready', { ready: false, startedMsAgo: 200_000, changedMsAgo: 190_000 }, 0, true],
	['or its sample is of before', { startedMsAgo: 200_000, changedMsAgo: 30_000 }, 0, true],
	['ready for a whole window', { startedMsAgo: 200_000, changedMsAgo: 90_000 }, 0, false],
	['never ready', { ready: false, startedMsAgo: 900_000, changedMsAgo: 880_000 }, 0, true],
	['not ready any more', { ready: false, startedMsAgo: 900_000, changedMsAgo: 100_000 }, 0, false],
] as const)
	test(`the CPU of a pod says nothing yet: ${name}`, (t) => {
		const samples: Samples = new Map([['p', { value: 1, at: NOW - sampledMsAgo, windowMs: 60_000 }]]);
		t.is(groupPods([podOf('p', shape)], samples, 'cpu', NOW).unready.has('p'), unready);
		t.is(groupPods([podOf('p', shape)], samples, 'memory', NOW).ready, 1);
	});

const specOf = (more: Partial<HorizontalPodAutoscalerSpec> = {}): HorizontalPodAutoscalerSpec => ({
	...{ maxReplicas: 20, minReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
	...more,
});
const rules = (policies: readonly [string, number, number][], more: object = {}) => ({
	policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
	...{ selectPolicy: 'Max', stabilizationWindowSeconds: 0, ...more },
});
const recently = (replicas: number, msAgo = 60_000): Past => ({ ...NO_PAST, recommended: [{ at: NOW - msAgo, replicas }] });
const up = rules([['Percent', 100, 15]]);

for (const [name, spec, past, current, desired, want] of [
	['as wanted', specOf(), NO_PAST, 3, 5, [5, 'ReadyForNewScale', 'DesiredWithinRange']],
	['at most twice as many at once', specOf(), NO_PAST, 3, 9, [6, 'ReadyForNewScale', 'ScaleUpLimit']],
	['but four', specOf(), NO_PAST, 1, 9, [4, 'ReadyForNewScale', 'ScaleUpLimit']],
	['no more than the most', specOf({ maxReplicas: 4 }), NO_PAST, 3, 9, [4, 'ReadyForNewScale', 'TooManyReplicas']],
	['no fewer than the least', specOf(), NO_PAST, 3, 1, [2, 'ReadyForNewScale', 'TooFewReplicas']],
	['the highest of five minutes', specOf(), recently(7), 8, 3, [7, 'ScaleDownStabilized', 'DesiredWithinRange']],
	['older ones are forgotten', specOf(), recently(7, 300_000), 8, 3, [3, 'ReadyForNewScale', 'DesiredWithinRange']],
	['a policy upwards', specOf({ behavior: { scaleUp: rules([['Pods', 1, 60]]) } }), NO_PAST, 3, 9, [4, 'ReadyForNewScale', 'ScaleUpLimit']],
	[
		'the loosest of policies',
		...([
			specOf({
				behavior: {
					scaleUp: rules([
						['Pods', 1, 60],
						['Percent', 100, 60],
					]),
				},
			}),
			NO_PAST,
			3,
			9,
		] as const),
		[6, 'ReadyForNewScale', 'ScaleUpLimit'],
	],
	[
		'the tightest on demand',
		...([
			specOf({
				behavior: {
					scaleUp: rules(
						[
							['Pods', 1, 60],
							['Percent', 100, 60],
						],
						{ selectPolicy: 'Min' },
					),
				},
			}),
			NO_PAST,
			3,
			9,
		] as const),
		[4, 'ReadyForNewScale', 'ScaleUpLimit'],
	],
	[
		'never, when it is disabled',
		...([specOf({ behavior: { scaleUp: up, scaleDown: rules([['Pods', 4, 60]], { selectPolicy: 'Disabled' }) } }), NO_PAST, 8, 3] as const),
		[8, 'ReadyForNewScale', 'ScaleDownLimit'],
	],
	[
		'what went already counts',
		...([
			specOf({ behavior: { scaleUp: up, scaleDown: rules([['Percent', 50, 60]]) } }),
			{ ...NO_PAST, downs: [{ at: NOW - 1000, replicas: 2 }] },
			8,
			3,
		] as const),
		[5, 'ReadyForNewScale', 'ScaleDownLimit'],
	],
	[
		'the lowest of a window upwards',
		...([
			specOf({ behavior: { scaleUp: rules([['Percent', 100, 15]], { stabilizationWindowSeconds: 120 }) } }),
			recently(4),
			3,
			6,
		] as const),
		[4, 'ScaleUpStabilized', 'DesiredWithinRange'],
	],
] as const)
	test(`paced(): ${name}`, (t) => {
		const { replicas, able, limited } = paced(spec, past, current, desired, NOW);
		t.deepEqual([replicas, able.reason, limited.reason], [...want]);
	});

test('what is remembered is forgotten once nothing looks at it', (t) => {
	const spec = specOf({ behavior: { scaleUp: up, scaleDown: rules([['Pods', 1, 60]]) } });
	const grown = changing(spec, NO_PAST, 3, 6, NOW);
	t.deepEqual(grown.ups, [{ at: NOW, replicas: 3 }]);
	t.deepEqual(changing(spec, grown, 6, 5, NOW + 61_000), { ...NO_PAST, downs: [{ at: NOW + 61_000, replicas: 1 }] });
	t.is(recalling(specOf(), recently(3, 400_000), 4, NOW).recommended.length, 1);
});

/** metrics.k8s.io as a custom resource: whoever serves it, the controller asks the same. */
const POD_METRICS: Resource = {
	...{ group: 'metrics.k8s.io', version: 'v1beta1', kind: 'PodMetrics', plural: 'pods', namespaced: true, subresources: [] },
};
const DEFINITION = {
	metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
	spec: {
		...{
			group: 'metrics.k8s.io',
			scope: 'Namespaced',
			names: { plural: 'pods', singular: 'pod', kind: 'PodMetrics', listKind: 'PodMetricsList' },
		},
		versions: [
			{
				...{ name: 'v1beta1', served: true, storage: true },
				schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
			},
		],
	},
};

test('an autoscaler scales its target by what its pods use, tells why not, and minds the pods of others', async (t) => {
	const registry = createMetrics();
	await controlledCluster(
		async ({ client, clock, pass, report, events, refusals }) => {
			const meta = (name: string, more: object = {}) => ({ namespace: 'default', name, ...more });
			await client.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION);
			await client.create(SERVICE_ACCOUNTS, { metadata: meta('default') });
			const labels = { app: 'x' };
			const container = { name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } };
			const template = { metadata: { labels }, spec: { containers: [container] } };
			await client.create(REPLICA_SETS, { metadata: meta('rs'), spec: { replicas: 2, selector: { matchLabels: labels }, template } });
			const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs' };
			const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }];
			const autoscaler = (name: string, target = ref) =>
				client.create(HORIZONTAL_POD_AUTOSCALERS, {
					metadata: meta(name),
					spec: { maxReplicas: 5, minReplicas: 1, scaleTargetRef: target, metrics },
				});
			const status = async (name = 'a') => (await client.get(HORIZONTAL_POD_AUTOSCALERS, `default/${name}`)).status;
			const replicas = async () => (await client.get(REPLICA_SETS, 'default/rs')).spec?.replicas;
			await autoscaler('a');
			await pass(16_000);
			t.like(await status(), { currentReplicas: 2, desiredReplicas: 0 });
			t.true(
				(await events('a')).some((e) =>
					e.startsWith('FailedGetResourceMetric: failed to get cpu utilization: unable to get metrics for resource cpu:'),
				),
			);
			const use = async (name: string, cpu: string): Promise<void> => {
				const timestamp = new Date(clock.now()).toISOString();
				const old = await client.get(POD_METRICS, `default/${name}`).catch(() => undefined);
				const body = { metadata: meta(name, { labels }), timestamp, window: '30s', containers: [{ name: 'c', usage: { cpu } }] };
				if (old === undefined) await client.create(POD_METRICS, { ...body });
				else await client.update(POD_METRICS, { ...old, ...body, metadata: old.metadata } as typeof old);
			};
			for (const name of ['p1', 'p2']) {
				await client.create(PODS, { metadata: meta(name, { labels }), spec: template.spec });
				const since = new Date(clock.now()).toISOString();
				await report(`default/${name}`, {
					...{ phase: 'Running', startTime: since, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] },
				});
			}
			await pass(60_000);
			await use('p1', '90m');
			await use('p2', '70m');
			await pass(16_000);
			t.is(await replicas(), 4);
			t.true(
				(await events('a')).includes(
					'SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
				),
			);
			t.like(await status(), { currentReplicas: 2, desiredReplicas: 4 });
			t.deepEqual((await status())?.currentMetrics, [
				{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 80, averageValue: '80m' } } },
			]);
			t.deepEqual(
				(await status())?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
				[
					['AbleToScale', 'True', 'SucceededRescale'],
					['ScalingActive', 'True', 'ValidMetricFound'],
					['ScalingLimited', 'False', 'DesiredWithinRange'],
				],
			);
			await use('p1', '5m');
			await use('p2', '5m');
			await pass(16_000);
			t.is(await replicas(), 4);
			t.like(
				(await status())?.conditions?.find((c) => c.type === 'AbleToScale'),
				{ reason: 'ScaleDownStabilized' },
			);
			await pass(320_000);
			t.is(await replicas(), 1);
			t.true((await events('a')).some((e) => e.endsWith('reason: All metrics below target')));
			await autoscaler('b');
			await autoscaler('c', { apiVersion: 'x.io/v1', kind: 'Widget', name: 'w' });
			await pass(31_000);
			t.like(
				(await status('b'))?.conditions?.find((c) => c.type === 'ScalingActive'),
				{
					reason: 'AmbiguousSelector',
					message: 'pods by selector app=x are controlled by multiple HPAs: [default/a default/b]',
				},
			);
			t.like((await status('c'))?.conditions?.[0], {
				...{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' },
				message: 'the HPA controller was unable to get the target\'s current scale: no matches for kind "Widget" in group "x.io"',
			});
			t.deepEqual(refusals, []);
			const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('horizontal_pod_autoscaler_controller_'));
			const told = (name: string): number | undefined => {
				const line = lines.find((one) => one.startsWith(`horizontal_pod_autoscaler_controller_${name} `));
				return line === undefined ? undefined : Number(line.split(' ').at(-1));
			};
			t.is(told('num_horizontal_pod_autoscalers'), 3);
			t.is(told('desired_replicas{namespace="default",hpa_name="a"}'), 1);
			for (const [action, error] of [
				['scale_up', 'none'],
				['scale_down', 'none'],
				['none', 'none'],
				['none', 'internal'],
			] as const) {
				const labels = `{action="${action}",error="${error}"}`;
				t.true((told(`reconciliations_total${labels}`) ?? 0) > 0, labels);
				t.is(told(`reconciliation_duration_seconds_count${labels}`), told(`reconciliations_total${labels}`), labels);
			}
			t.true((told('metric_computation_total{action="scale_up",error="none",metric_type="Resource"}') ?? 0) > 0);
			t.true((told('metric_computation_total{action="none",error="internal",metric_type="Resource"}') ?? 0) > 0);
		},
		{ only: ['horizontal-pod-autoscaler-controller'], more: { metrics: registry } },
	);
});
