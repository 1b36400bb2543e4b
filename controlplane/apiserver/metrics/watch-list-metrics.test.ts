import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { realClock } from '../../../base/clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

for (const [name, path, scope] of [
	['of a namespace', `/api/v1/namespaces/own/configmaps?watch=true&allowWatchBookmarks=true&${INITIAL}`, 'namespace'],
	['of all', `/api/v1/configmaps?watch=true&allowWatchBookmarks=true&labelSelector=a&${INITIAL}`, 'cluster'],
	['of one', `/api/v1/namespaces/own/configmaps?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name=a&${INITIAL}`, 'resource'],
	['that says no end of them', '/api/v1/namespaces/own/configmaps?watch=true&allowWatchBookmarks=true', undefined],
] as const)
	test(`initial events of a watch are timed: ${name}`, async (t) => {
		const stop = new AbortController();
		const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
		t.teardown(() => (stop.abort(), stopped));
		await client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'own', labels: { a: 'b' } } }).catch(() => undefined);
		const counts = async (): Promise<readonly string[]> => {
			const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
			const count = /^apiserver_watch_list_duration_seconds_count\{group="",version="v1",resource="configmaps",scope="(.*)"\} (\d+)$/gm;
			return [...(await readText(body)).matchAll(count)].map(([, of, times]) => `${of} ${times}`);
		};
		const before = await counts();
		const watching = new AbortController();
		const { body } = await client.transport.request({ method: 'GET', path }, watching.signal);
		const reader = body[Symbol.asyncIterator]();
		if (scope !== undefined)
			for (let seen = ''; !seen.includes('initial-events-end'); ) seen += Buffer.from((await reader.next()).value as Uint8Array).toString();
		const after = await counts();
		t.deepEqual(
			after.filter((one) => !before.includes(one)).map((one) => one.split(' ')[0]),
			scope === undefined ? [] : [scope],
		);
		watching.abort();
	});
