import test from 'ava';
import { RUNTIME_CLASSES } from '../../../api/resources.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { realClock } from '../../../base/clock.ts';
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
	t.regex(metrics, /^apiserver_validation_declarative_validation_mismatch_total 0$/m);
});
