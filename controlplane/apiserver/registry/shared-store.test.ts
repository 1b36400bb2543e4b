/** Two servers on one store, one of which has not seen yet what the other one wrote: it answers by the newest all the same. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { behindStore } from '../../../test/fakes/behind-store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

type Answer = { readonly code: number; readonly body: { readonly metadata: Record<string, string>; readonly data?: unknown } };

const stop = new AbortController();
let servers: readonly [TestApiServer, TestApiServer];

test.before(async () => {
	const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
	const store = createMemoryStore(clock);
	const one = await testApiServer({ clock, log: noLog, store }, stop.signal);
	servers = [one, await testApiServer({ clock, log: noLog, store: behindStore(store) }, stop.signal)];
});
test.after.always(async () => {
	stop.abort();
	await Promise.all(servers.map(({ stopped }) => stopped));
});

async function ask(at: 0 | 1, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
	const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const { status, body: read } = await servers[at].client.transport.request({ method, path, headers, ...sent }, stop.signal);
	return { code: status, body: JSON.parse((await buffer(read)).toString()) as Answer['body'] };
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const named = (name: string, data: object, metadata: object = {}): object => ({ metadata: { name, ...metadata }, data });

test('what another server wrote is read', async (t) => {
	await ask(0, 'POST', CONFIG_MAPS, named('read', { v: '1' }));
	t.is((await ask(1, 'GET', `${CONFIG_MAPS}/read`)).code, 200);
	await ask(0, 'PUT', `${CONFIG_MAPS}/read`, named('read', { v: '2' }));
	t.deepEqual((await ask(1, 'GET', `${CONFIG_MAPS}/read`)).body.data, { v: '2' });
	await ask(0, 'DELETE', `${CONFIG_MAPS}/read`);
	t.is((await ask(1, 'GET', `${CONFIG_MAPS}/read`)).code, 404);
});

test('what another server wrote is replaced, patched and deleted', async (t) => {
	await ask(0, 'POST', CONFIG_MAPS, named('put', { v: '1' }));
	t.is((await ask(1, 'PUT', `${CONFIG_MAPS}/put`, named('put', { v: '2' }))).code, 200);
	const { resourceVersion } = (await ask(0, 'PUT', `${CONFIG_MAPS}/put`, named('put', { v: '3' }))).body.metadata;
	t.is((await ask(1, 'PUT', `${CONFIG_MAPS}/put`, named('put', { v: '4' }, { resourceVersion }))).code, 200);
	await ask(0, 'POST', CONFIG_MAPS, named('patched', { v: '1' }));
	t.deepEqual((await ask(1, 'PATCH', `${CONFIG_MAPS}/patched`, { data: { w: '2' } })).body.data, { v: '1', w: '2' });
	const { uid } = (await ask(0, 'POST', CONFIG_MAPS, named('gone', {}))).body.metadata;
	t.is((await ask(1, 'DELETE', `${CONFIG_MAPS}/gone`, { preconditions: { uid } })).code, 200);
});

test('a write that changes nothing of an old state changes the newest', async (t) => {
	await ask(1, 'POST', CONFIG_MAPS, named('same', { v: '1' }));
	await ask(0, 'PUT', `${CONFIG_MAPS}/same`, named('same', { v: '2' }));
	t.deepEqual((await ask(1, 'PUT', `${CONFIG_MAPS}/same`, named('same', { v: '1' }))).body.data, { v: '1' });
	t.deepEqual((await ask(0, 'GET', `${CONFIG_MAPS}/same`)).body.data, { v: '1' });
});

test('a name is free again once another server has deleted what had it', async (t) => {
	await ask(1, 'POST', CONFIG_MAPS, named('anew', {}));
	await ask(0, 'DELETE', `${CONFIG_MAPS}/anew`);
	t.is((await ask(1, 'POST', CONFIG_MAPS, named('anew', {}))).code, 201);
});

test('objects are created in a namespace that another server has made', async (t) => {
	await ask(0, 'POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
	t.is((await ask(1, 'POST', '/api/v1/namespaces/other/configmaps', named('a', {}))).code, 201);
});
