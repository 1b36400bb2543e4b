import test from 'ava';
import type { MetricSpec } from '../../../api/gen/types.ts';
import { REPLICA_SETS } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { proposalsOf, type Target } from './proposals.ts';
import type { MetricSource } from './samples.ts';
import { setReplicas } from './scale-target.ts';

const { signal } = new AbortController();
const target: Target = {
	...{ namespace: 'ns', selector: 'a=b', observed: 1, current: 1, tolerances: { up: 0.1, down: 0.1 }, now: 0, signal },
	pods: [{ metadata: { name: 'p' }, spec: { containers: [] }, status: { phase: 'Running' } }],
};
const fail = (): Promise<never> => Promise.reject(new AppError('Unavailable', 'no answer'));
const failing = { resource: fail, pods: fail, object: fail, external: fail } as unknown as MetricSource;
const describedObject = { kind: 'Ingress', name: 'main' };
const metric = { name: 'm' };

for (const [rule, spec, why, message] of [
	[
		'an object’s own value',
		{ type: 'Object', object: { describedObject, metric, target: { type: 'Value', value: '1' } } },
		'unable to get metric m: Ingress on ns main/no answer',
		'failed to get object metric value: unable to get metric m: Ingress on ns main/no answer',
	],
	[
		'an object’s value, shared',
		{ type: 'Object', object: { describedObject, metric, target: { type: 'AverageValue', averageValue: '1' } } },
		'unable to get metric m: Ingress on ns main/no answer',
		'failed to get object metric value: failed to get m object metric: unable to get metric m: Ingress on ns main/no answer',
	],
	[
		'an external value',
		{ type: 'External', external: { metric, target: { type: 'Value', value: '1' } } },
		'unable to get external metric ns/m/nil: no answer',
		'failed to get m external metric value: failed to get external metric m: unable to get external metric ns/m/nil: no answer',
	],
	[
		'an external value, shared',
		{ type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '1' } } },
		'unable to get external metric ns/m/nil: no answer',
		'failed to get m external metric value: failed to get m external metric: unable to get external metric ns/m/nil: no answer',
	],
] as readonly (readonly [string, MetricSpec, string, string])[])
	test(`what is said of ${rule} that cannot be had`, async (t) => {
		const { failures } = await proposalsOf(failing, [spec], target);
		t.deepEqual(
			failures.map((failure) => [failure.why, failure.message]),
			[[why, message]],
		);
	});

test('memory is told in its own form, and a container’s average by the resource alone', async (t) => {
	const samples = new Map([['p', { value: 100 * 1024 * 1024 * 1000, at: 0, windowMs: 0 }]]);
	const source = { resource: () => Promise.resolve(samples) } as unknown as MetricSource;
	const wanted = { name: 'memory', container: 'c', target: { type: 'AverageValue', averageValue: '10Mi' } };
	const found = await proposalsOf(source, [{ type: 'ContainerResource', containerResource: wanted }], target);
	t.is(found.metric, 'memory resource');
	t.is(found.statuses[0]?.containerResource?.current.averageValue, '100Mi');
});

test('a scale that somebody else wrote meanwhile is written again', async (t) => {
	const written: unknown[] = [];
	const stale = { metadata: { namespace: 'ns', name: 'x', resourceVersion: '1' }, spec: { replicas: 1 } };
	const client = {
		get: () => Promise.resolve({ ...stale, metadata: { ...stale.metadata, resourceVersion: '2' }, spec: { replicas: 7 } }),
		update: (_resource: unknown, scale: typeof stale) => {
			written.push([scale.metadata.resourceVersion, scale.spec.replicas]);
			return written.length < 2 ? Promise.reject(new AppError('Aborted', 'conflict')) : Promise.resolve(scale);
		},
	} as unknown as Client;
	const clock = new VirtualClock();
	const done = setReplicas({ client, clock }, { resource: REPLICA_SETS, scale: stale }, 3, signal);
	await clock.advance(10);
	await done;
	t.deepEqual(written, [
		['1', 3],
		['2', 3],
	]);
});
