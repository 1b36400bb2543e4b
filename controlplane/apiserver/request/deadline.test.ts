/** How long requests may take, and what is told of those that take longer: by whoever serves a write, or of any request. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { losingStore } from '../../../test/fakes/losing-store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

type Answer = readonly [code: number, type: string, body: string];

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const OF_WRITES = 'Timeout: request did not complete within requested timeout - context deadline exceeded';
const STATUS = {
	kind: 'Status',
	apiVersion: 'v1',
	metadata: {},
	status: 'Failure',
	message: OF_WRITES,
	reason: 'Timeout',
	details: {},
	code: 504,
};
const OF_ANY =
	'{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n';

const stop = new AbortController();
const clock = new VirtualClock();
// The certificates are of another time.
const agent = new Agent({ rejectUnauthorized: false });
let server: TestApiServer;

test.before(async () => {
	const store = losingStore(createMemoryStore(clock), clock, (key) => key.endsWith('/lost'));
	server = await testApiServer({ clock, log: noLog, store, port: 0 }, stop.signal);
	const { client } = server;
	const [apiVersion, kind] = ['v1', 'ConfigMap'];
	const body = Buffer.from(JSON.stringify({ apiVersion, kind, metadata: { name: 'lost', labels: { a: 'b' } } }));
	await client.transport.request({ method: 'POST', path: CONFIG_MAPS, headers: { 'content-type': 'application/json' }, body }, stop.signal);
});
test.after.always(async () => {
	agent.destroy();
	stop.abort();
	await clock.advance(120_000);
	await server.stopped;
});

async function send(method: 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer> {
	const headers = { 'content-type': method === 'PATCH' ? MERGE : 'application/json' };
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const answer = await server.client.transport.request({ method, path, headers, ...sent }, stop.signal);
	return [answer.status, answer.headers['content-type'] ?? '', await text(answer.body)];
}

async function lasts(t: ExecutionContext, answer: Promise<Answer>, ms: number): Promise<Answer> {
	let isAnswered = false;
	const answered = answer.then(() => (isAnswered = true));
	await clock.advance(ms - 50);
	t.false(isAnswered, 'too early');
	await clock.advance(100);
	await answered;
	return answer;
}

function isOfWrites(t: ExecutionContext, [code, type, body]: Answer): void {
	t.deepEqual([code, type], [504, 'application/json']);
	t.deepEqual(JSON.parse(body), STATUS);
}

for (const [name, method, query, body] of [
	['a patch', 'PATCH', '', { data: { a: 'b' } }],
	['one that would take longer', 'PATCH', '?timeout=50s', { data: { a: 'b' } }],
	['a replacement', 'PUT', '', { metadata: { name: 'lost' }, data: { a: 'b' } }],
	['a deletion', 'DELETE', '', undefined],
] as const)
	test.serial(`a write of one object has 34 s: ${name}`, async (t) => {
		isOfWrites(t, await lasts(t, send(method, `${CONFIG_MAPS}/lost${query}`, body), 34_000));
	});

test.serial('less where the client says so, which is told as of any request', async (t) => {
	const late = await lasts(t, send('PATCH', `${CONFIG_MAPS}/lost?timeout=20s`, { data: { a: 'b' } }), 20_000);
	t.deepEqual(late, [504, 'text/plain; charset=utf-8', OF_ANY]);
});

test.serial('the deletion of a collection has a minute', async (t) => {
	const late = await lasts(t, send('DELETE', `${CONFIG_MAPS}?labelSelector=a`), 60_000);
	t.deepEqual(late, [504, 'text/plain; charset=utf-8', OF_ANY]);
});

/** Sends half of it; what is answered, and how to send the rest. */
async function begin(path: string): Promise<{ readonly answer: Promise<Answer>; readonly end: () => void }> {
	const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', expect: '100-continue' };
	const sent = request(`${server.url}${path}`, { agent, method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' } });
	sent.flushHeaders();
	await once(sent, 'continue');
	sent.write('{"metadata":');
	const answer = once(sent, 'response').then(async ([message]): Promise<Answer> => {
		const { statusCode = 0, headers: answered } = message as IncomingMessage;
		return [statusCode, answered['content-type'] ?? '', await text(message as IncomingMessage)];
	});
	return { answer, end: () => sent.end('{"name":"slow"}}') };
}

test.serial('a body may come for as long as any request lasts, but then it is too late to write it', async (t) => {
	for (const query of ['', '?dryRun=All']) {
		const { answer, end } = await begin(`${CONFIG_MAPS}${query}`);
		await clock.advance(34_100);
		end();
		isOfWrites(t, await answer);
	}
});

test.serial('a body that does not come is waited for no longer than any request lasts', async (t) => {
	for (const [query, ms] of [
		['', 60_000],
		['?timeout=20s', 20_000],
	] as const) {
		const { answer } = await begin(`${CONFIG_MAPS}${query}`);
		t.deepEqual(await lasts(t, answer, ms), [504, 'text/plain; charset=utf-8', OF_ANY]);
	}
});
