import test from 'ava';
import { CONFIG_MAPS, RESOURCE_QUOTAS } from '../../../../api/resources.ts';
import { realClock } from '../../../../base/clock.ts';
import { noLog } from '../../../../base/log.ts';
import { testApiServer } from '../../../../test/fakes/api-server.ts';

test('what an admitted object uses is written as by the server itself', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await stopped;
	});
	const hard = { configmaps: '5', pods: '5' };
	await client.create(RESOURCE_QUOTAS, { metadata: { name: 'q', namespace: 'default' }, spec: { hard } });
	const counted = { status: { hard, used: { configmaps: '0', pods: '0' } } };
	await client.patch(RESOURCE_QUOTAS, 'default/q', { type: 'merge', body: counted }, { subresource: 'status', fieldManager: 'counter' });
	await client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'default' } });
	const { metadata, status } = await client.get(RESOURCE_QUOTAS, 'default/q');
	t.deepEqual(status?.used, { configmaps: '1', pods: '0' });
	const own = metadata.managedFields?.find(({ manager }) => manager === 'kube-apiserver');
	t.like(own, { operation: 'Update', subresource: 'status' });
	t.deepEqual(own?.fieldsV1, { 'f:status': { 'f:used': { 'f:configmaps': {} } } });
});
