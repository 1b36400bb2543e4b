/** A Service that goes takes the Endpoints of its name along, at once. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { losingStore } from '../../../test/fakes/losing-store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

interface Answer {
	readonly code: number;
	readonly body: { readonly metadata: { readonly deletionTimestamp?: string } };
}

const NAMESPACE = '/api/v1/namespaces/default';
const stop = new AbortController();
const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
let server: TestApiServer;
/** Of another writer, who is faster so often. */
let lost = 0;

test.before(async () => {
	const loses = (key: string): boolean => key.endsWith('/raced') && lost-- > 0;
	server = await testApiServer({ clock, log: noLog, store: losingStore(createMemoryStore(clock), clock, loses) }, stop.signal);
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer> {
	const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const answer = await server.client.transport.request({ method, path: `${NAMESPACE}/${path}`, headers, ...sent }, stop.signal);
	return { code: answer.status, body: JSON.parse((await buffer(answer.body)).toString()) as Answer['body'] };
}

/** A Service, and Endpoints that nobody but their name makes its own. */
async function made(name: string, service: object = {}, endpoints: object = {}): Promise<void> {
	const spec = { ports: [{ port: 80 }] };
	t201(await send('POST', 'services', { metadata: { name, ...service }, spec }));
	t201(await send('POST', 'endpoints', { metadata: { name, ...endpoints }, subsets: [{ addresses: [{ ip: '192.0.2.9' }] }] }));
}

function t201({ code, body }: Answer): void {
	if (code !== 201) throw new Error(JSON.stringify(body));
}

test('its Endpoints go with it, and no others', async (t) => {
	await made('gone');
	await made('other');
	t.is((await send('DELETE', 'services/gone')).code, 200);
	t.is((await send('GET', 'endpoints/gone')).code, 404);
	t.is((await send('GET', 'endpoints/other')).code, 200);
});

test('not by a dry run', async (t) => {
	await made('tried');
	t.is((await send('DELETE', 'services/tried?dryRun=All')).code, 200);
	t.is((await send('GET', 'endpoints/tried')).code, 200);
});

test('once nothing holds the Service any more', async (t) => {
	await made('held', { finalizers: ['example.com/held'] });
	t.is((await send('DELETE', 'services/held')).code, 200);
	t.is((await send('GET', 'endpoints/held')).code, 200);
	await send('PATCH', 'services/held', { metadata: { finalizers: null } });
	t.is((await send('GET', 'services/held')).code, 404);
	t.is((await send('GET', 'endpoints/held')).code, 404);
});

test('what holds the Endpoints is waited for', async (t) => {
	await made('kept', {}, { finalizers: ['example.com/kept'] });
	t.is((await send('DELETE', 'services/kept')).code, 200);
	t.is((await send('GET', 'services/kept')).code, 404);
	t.is((await send('GET', 'endpoints/kept')).body.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
});

test('a Service without any goes as well; its collection takes all', async (t) => {
	t201(await send('POST', 'services', { metadata: { name: 'alone' }, spec: { ports: [{ port: 80 }] } }));
	t.is((await send('DELETE', 'services/alone')).code, 200);
	await made('one', { labels: { all: 'these' } });
	await made('two', { labels: { all: 'these' } });
	t.is((await send('DELETE', 'services?labelSelector=all')).code, 200);
	for (const name of ['one', 'two']) t.is((await send('GET', `endpoints/${name}`)).code, 404);
});

test('whoever writes the Endpoints or the Service meanwhile is in the way of nobody', async (t) => {
	await made('raced');
	lost = 3;
	const answer = send('DELETE', 'services/raced');
	await clock.advance(100);
	t.is((await answer).code, 200);
	t.is((await send('GET', 'endpoints/raced')).code, 404);
});
