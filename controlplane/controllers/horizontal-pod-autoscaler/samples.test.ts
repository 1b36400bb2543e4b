/** What is asked of the metrics APIs, and what their answers are taken for. */
import { Readable } from 'node:stream';
import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { MetricSource } from './samples.ts';

const { signal } = new AbortController();
const item = (more: object) => ({ describedObject: { kind: 'Pod', name: 'p' }, timestamp: '2026-01-01T00:00:00Z', value: '5', ...more });

/** Answers by path; everything else is not found. */
function sourceOf(answers: Record<string, object>) {
	const asked: string[] = [];
	const clock = new VirtualClock();
	const request = ({ path }: { path: string }) => {
		asked.push(path);
		const answer = answers[path];
		const text = answer === undefined ? '404 page not found\n' : JSON.stringify(answer);
		return Promise.resolve({ status: answer === undefined ? 404 : 200, headers: {}, body: Readable.from([Buffer.from(text)]) });
	};
	return { source: new MetricSource({ transport: { request } } as unknown as Client, clock), asked, clock };
}

const groupOf = (preferred: string, ...versions: readonly string[]) => ({
	groups: [
		{ name: 'apps', versions: [{ groupVersion: 'apps/v1' }] },
		{
			name: 'custom.metrics.k8s.io',
			versions: versions.map((version) => ({ groupVersion: `custom.metrics.k8s.io/${version}` })),
			preferredVersion: { groupVersion: `custom.metrics.k8s.io/${preferred}` },
		},
	],
});

for (const [name, apis, version] of [
	['the one preferred', groupOf('v1beta1', 'v1beta1', 'v1beta2'), 'v1beta1'],
	['of an unknown preference one that is known', groupOf('v2', 'v2', 'v1beta2'), 'v1beta2'],
] as const)
	test(`the version of the custom metrics API: ${name}`, async (t) => {
		const path = `/apis/custom.metrics.k8s.io/${version}/namespaces/ns/pods/*/m`;
		const { source, asked, clock } = sourceOf({ '/apis': apis, [`${path}?labelSelector=a%3Db`]: { items: [item({})] } });
		t.is((await source.pods('m', 'ns', 'a=b', undefined, signal)).get('p')?.value, 5000);
		await source.pods('m', 'ns', 'a=b', undefined, signal);
		t.is(asked.filter((one) => one === '/apis').length, 1);
		await clock.advance(15_000);
		await source.pods('m', 'ns', 'a=b', undefined, signal);
		t.is(asked.filter((one) => one === '/apis').length, 2);
	});

for (const [name, apis, message] of [
	['none', { groups: [] }, 'no custom metrics API (custom.metrics.k8s.io) registered'],
	['of unknown versions', groupOf('v3', 'v3'), 'no known available metric versions found'],
] as const)
	test(`a custom metrics API that is ${name}`, async (t) => {
		const { source } = sourceOf({ '/apis': apis });
		await t.throwsAsync(source.pods('m', 'ns', 'a=b', undefined, signal), {
			message: `unable to fetch metrics from custom metrics API: ${message}`,
		});
	});

test('over how long a metric was taken, as either version says it', async (t) => {
	for (const [version, field] of [
		['v1beta1', 'window'],
		['v1beta2', 'windowSeconds'],
	] as const) {
		const path = `/apis/custom.metrics.k8s.io/${version}/namespaces/ns/pods/*/m`;
		const { source } = sourceOf({ '/apis': groupOf(version, version), [path]: { items: [item({ [field]: 20 })] } });
		t.is((await source.pods('m', 'ns', '', undefined, signal)).get('p')?.windowMs, 20_000, version);
	}
});

for (const [about, path] of [
	[{ kind: 'Service', name: 's', apiVersion: 'v1' }, 'ns/services/s/m'],
	[{ kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, 'ns/deployments.apps/d/m'],
	[{ kind: 'Node', name: 'n', apiVersion: 'v1' }, 'ns/nodes/n/m'],
	[{ kind: 'Namespace', name: 'another', apiVersion: 'v1' }, 'ns/metrics/m'],
] as const)
	test(`a metric of a ${about.kind} is asked for in the autoscaler's namespace`, async (t) => {
		const whole = `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${path}`;
		const { source } = sourceOf({ '/apis': groupOf('v1beta2', 'v1beta2'), [whole]: { items: [item({ value: '1500m' })] } });
		t.is(await source.object('m', 'ns', about, undefined, signal), 1500);
	});

test('of one object there is one value', async (t) => {
	const path = '/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/services/s/m';
	for (const items of [[], [item({}), item({})]]) {
		const { source } = sourceOf({ '/apis': groupOf('v1beta2', 'v1beta2'), [path]: { items } });
		await t.throwsAsync(source.object('m', 'ns', { kind: 'Service', name: 's', apiVersion: 'v1' }, undefined, signal), {
			message: `unable to fetch metrics from custom metrics API: the custom metrics API server returned ${items.length} results when we asked for exactly one`,
		});
	}
});

test('a pod of which the container says nothing is left out', async (t) => {
	const path = '/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods';
	const pod = (name: string, container: string) => ({ metadata: { name }, containers: [{ name: container, usage: { cpu: '10m' } }] });
	const { source } = sourceOf({ [path]: { items: [pod('a', 'c'), pod('b', 'other')] } });
	const samples = await source.resource('cpu', 'ns', '', 'c', signal);
	t.deepEqual(
		[...samples].map(([name, { value }]) => [name, value]),
		[['a', 10]],
	);
});
