import test from 'ava';
import { createMetrics } from '../../../base/metrics.ts';
import { RUNTIME_CLASSES } from '../../../api/resources.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { realClock } from '../../../base/clock.ts';
import type { Kind } from '../registry/kinds.ts';
import { ListMetrics } from './list-metrics.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

test('lists are counted, with what they looked at and what they gave', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(() => (stop.abort(), stopped));
	for (const name of ['a', 'b', 'c']) await client.create(RUNTIME_CLASSES, { metadata: { name, labels: { own: name } }, handler: 'h' });
	const ask = async (path: string): Promise<string> =>
		readText((await client.transport.request({ method: 'GET', path }, stop.signal)).body);
	for (const query of ['', '?labelSelector=own%3Db', '?limit=2', '?watch=1&timeoutSeconds=1&labelSelector=own%3Db'])
		await ask(`/apis/node.k8s.io/v1/runtimeclasses${query}`);
	const metrics = await ask('/metrics');
	const told = (name: string): string | undefined =>
		new RegExp(String.raw`^apiserver_cache_list_${name}\{group="node.k8s.io",resource="runtimeclasses".*\} (\d+)$`, 'm').exec(metrics)?.[1];
	t.deepEqual(['total', 'fetched_objects_total', 'returned_objects_total'].map(told), ['3', '8', '6']);
	const of = String.raw`group="node.k8s.io",resource="runtimeclasses"`;
	t.regex(metrics, new RegExp(`^apiserver_init_events_total\\{${of}\\} 3$`, 'm'));
	t.regex(metrics, new RegExp(`^apiserver_watch_cache_consistent_read_total\\{${of},success="true",fallback="false"\\} 3$`, 'm'));
	t.regex(metrics, /^apiserver_watch_cache_resource_version\{group="node.k8s.io",resource="runtimeclasses"\} [1-9]\d*$/m);
	const shown = (name: string, resource: string): boolean => new RegExp(`^apiserver_${name}\\{.*resource="${resource}"`, 'm').test(metrics);
	for (const name of ['storage_objects', 'resource_objects', 'watch_cache_resource_version'])
		t.deepEqual([shown(name, 'pods'), shown(name, 'bindings')], [true, false], name);
	t.deepEqual([shown('resource_objects', 'events'), shown('watch_cache_resource_version', 'events')], [true, false]);
	t.regex(metrics, /^apiserver_validation_declarative_validation_mismatch_total 0$/m);
});

test('lists from etcd are counted apart from those from memory', async (t) => {
	const registry = createMetrics();
	const metrics = new ListMetrics(registry);
	const kind = { resource: RUNTIME_CLASSES } as unknown as Kind;
	const found = { entries: [], revision: 7n, continue: '', remaining: undefined, fetched: 2 };
	for (const isStored of [true, true, false]) metrics.listed(kind, { ...found, isStored });
	const text = await registry.metrics();
	const of = '{group="node.k8s.io",resource="runtimeclasses"}';
	for (const [name, count] of [
		['total', 2],
		['fetched_objects_total', 4],
		['evaluated_objects_total', 4],
		['returned_objects_total', 0],
	] as const)
		t.true(text.includes(`apiserver_storage_list_${name}${of} ${count}\n`), name);
	t.regex(text, /apiserver_cache_list_total\{.*\} 1\n/);
});
