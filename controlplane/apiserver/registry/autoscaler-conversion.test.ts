import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { HPA_CONVERSION } from './autoscaler-conversion.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io';
const CPU = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };
const TARGET = { kind: 'Service', name: 's', apiVersion: 'v1' };
const stored = (spec: object, status: object = {}): KubeObject =>
	({
		apiVersion: 'autoscaling/v2',
		metadata: { name: 'h' },
		spec,
		status: { currentMetrics: null, desiredReplicas: 1, ...status },
	}) as unknown as KubeObject;

for (const [what, spec, status, annotation, text] of [
	[
		'memory',
		{ metrics: [{ type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } }, CPU] },
		{},
		'metrics',
		'[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
	],
	[
		'what pods count',
		{ metrics: [{ type: 'Pods', pods: { metric: { name: 'a<b' }, target: { type: 'AverageValue', averageValue: '1k' } } }] },
		{},
		'metrics',
		'[{"type":"Pods","pods":{"metricName":"a\\u003cb","targetAverageValue":"1k"}}]',
	],
	[
		'averages over an object',
		{
			metrics: [
				{ type: 'Object', object: { describedObject: TARGET, metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '3' } } },
			],
		},
		{},
		'metrics',
		'[{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"m","targetValue":"0","averageValue":"3"}}]',
	],
	[
		'a queue outside',
		{
			metrics: [
				{
					type: 'External',
					external: { metric: { name: 'q', selector: { matchLabels: { a: 'b' } } }, target: { type: 'Value', value: '30' } },
				},
			],
		},
		{},
		'metrics',
		'[{"type":"External","external":{"metricName":"q","metricSelector":{"matchLabels":{"a":"b"}},"targetValue":"30"}}]',
	],
	[
		'the behaviour',
		{ metrics: [CPU], behavior: { scaleDown: { stabilizationWindowSeconds: 60, selectPolicy: 'Min' } } },
		{},
		'behavior',
		'{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Min","Policies":null,"Tolerance":null}}',
	],
	[
		'what is measured',
		{ metrics: [CPU] },
		{ currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 5, averageValue: '3m' } } }] },
		'current-metrics',
		'[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"3m"}}]',
	],
] as const)
	test(`autoscaling/v1 keeps ${what} in an annotation, and finds it there`, (t) => {
		const given = stored(spec, status);
		const old = HPA_CONVERSION.fromStored(given);
		t.deepEqual(old.metadata.annotations, { [`${PREFIX}/${annotation}`]: text });
		t.deepEqual(JSON.parse(JSON.stringify(HPA_CONVERSION.toStored(old))), {
			...JSON.parse(JSON.stringify(given)),
			status: { currentReplicas: 0, ...(given as unknown as { status: object }).status },
		});
	});

const DEFAULT = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
const PODS = { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } };
const ANNOTATED = '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1"}}]';

for (const [what, text, target, want] of [
	['none', undefined, undefined, [DEFAULT]],
	['what is no JSON', '[', undefined, [DEFAULT]],
	['an empty list', '[]', undefined, [DEFAULT]],
	['an empty list, and a target', '[]', 60, [CPU]],
	['one', ANNOTATED, undefined, [PODS]],
	['one, and a target', ANNOTATED, 60, [PODS, CPU]],
	['one whose name is a number', ANNOTATED.replace('"m"', '5'), undefined, [DEFAULT]],
	['one that is a text', '["m"]', undefined, [DEFAULT]],
] as const)
	test(`autoscaling/v1 with metrics of ${what} in its annotation`, (t) => {
		const annotations = text === undefined ? {} : { [`${PREFIX}/metrics`]: text };
		const spec = target === undefined ? {} : { targetCPUUtilizationPercentage: target };
		const made = HPA_CONVERSION.toStored({ metadata: { name: 'h', annotations }, spec } as unknown as KubeObject);
		t.deepEqual(JSON.parse(JSON.stringify(made)).spec, { metrics: want });
	});

for (const [annotation, text] of [
	['conditions', '[{"type":5}]'],
	['current-metrics', '[{"type":"Resource","resource":{"name":5}}]'],
	['behavior', '{"ScaleUp":{"StabilizationWindowSeconds":"long"}}'],
] as const)
	test(`autoscaling/v1: ${annotation} of another type are dropped`, (t) => {
		const given = {
			metadata: { name: 'h', annotations: { [`${PREFIX}/${annotation}`]: text } },
			spec: { targetCPUUtilizationPercentage: 60 },
		};
		const { spec, status } = HPA_CONVERSION.toStored(given as unknown as KubeObject) as unknown as { spec: object; status: object };
		t.deepEqual(spec, { metrics: [CPU] });
		t.deepEqual(status, { desiredReplicas: 0, currentMetrics: null });
	});

test('autoscaling/v1: what cpu is and should be; annotations that nobody can read are dropped', (t) => {
	const measured = [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 5 } } }];
	const old = HPA_CONVERSION.fromStored(stored({ metrics: [CPU] }, { currentMetrics: measured })) as unknown as {
		readonly metadata: { readonly name: string; annotations: Record<string, string> };
		readonly spec: object;
		readonly status: object;
	};
	t.deepEqual(old.spec, { targetCPUUtilizationPercentage: 60 });
	t.deepEqual(old.status, { currentReplicas: 0, desiredReplicas: 1, currentCPUUtilizationPercentage: 5 });
	old.metadata.annotations = {
		[`${PREFIX}/metrics`]: '[{"type":"Pods","pods":{"targetAverageValue":"x"}}]',
		[`${PREFIX}/current-metrics`]: '{',
		a: 'b',
	};
	const { metadata, spec, status } = HPA_CONVERSION.toStored(old as unknown as KubeObject) as unknown as typeof old;
	t.deepEqual(metadata, { name: 'h', annotations: { a: 'b' } });
	t.deepEqual(spec, { metrics: [CPU] });
	t.like(status, { currentMetrics: measured });
});
