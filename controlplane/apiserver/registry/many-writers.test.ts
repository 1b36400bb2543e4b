/** Many writers of one object at once: who states no version is not told of the others, however many there are, until the time of the request is over. */
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { behindStore } from '../../../test/fakes/behind-store.ts';
import { losingStore } from '../../../test/fakes/losing-store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

interface Answer {
	readonly code: number;
	readonly body: { readonly data?: Readonly<Record<string, string>>; readonly reason?: string; readonly message?: string };
}

const WRITERS = 50;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const JSON_TYPE = 'application/json';

const stop = new AbortController();
const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
let servers: readonly [TestApiServer, TestApiServer];
test.before(async () => {
	const store = losingStore(createMemoryStore(clock), clock, (key) => key.endsWith('/configmaps/default/lost'));
	const one = await testApiServer({ clock, log: noLog, store }, stop.signal);
	servers = [one, await testApiServer({ clock, log: noLog, store: behindStore(store) }, stop.signal)];
});
test.after.always(async () => {
	stop.abort();
	await Promise.all(servers.map(({ stopped }) => stopped));
});

async function ask(at: number, method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, type = JSON_TYPE, body?: object): Promise<Answer> {
	const { transport } = (servers[at % 2] as TestApiServer).client;
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const { status, body: read } = await transport.request({ method, path, headers: { 'content-type': type }, ...sent }, stop.signal);
	return { code: status, body: JSON.parse((await buffer(read)).toString()) as Answer['body'] };
}

const asked = { apiVersion: 'v1', kind: 'ConfigMap' };
const mine = (name: string, i: number): object => ({ ...asked, metadata: { name }, data: { [`k${i}`]: String(i) } });

/** All that the writers ask, at once. */
async function all(t: ExecutionContext, write: (i: number) => Promise<Answer>, writers = WRITERS): Promise<readonly number[]> {
	const answers = await Promise.all(Array.from({ length: writers }, (_, i) => write(i)));
	const refused = answers.filter(({ code }) => code >= 400);
	t.deepEqual(
		refused.map(({ body }) => body.message),
		[],
	);
	return answers.map(({ code }) => code);
}

async function keys(name: string): Promise<number> {
	return Object.keys((await ask(0, 'GET', `${CONFIG_MAPS}/${name}`)).body.data ?? {}).length;
}

for (const [where, at] of [
	['of one server', () => 0],
	['of two that share a store', (i: number) => i],
] as const) {
	const named = (name: string): string => `${name}-${where.replaceAll(' ', '-')}`;

	test(`patches ${where}`, async (t) => {
		const name = named('patched');
		await ask(0, 'POST', CONFIG_MAPS, JSON_TYPE, { metadata: { name } });
		await all(t, (i) => ask(at(i), 'PATCH', `${CONFIG_MAPS}/${name}`, MERGE, { data: { [`k${i}`]: '' } }));
		t.is(await keys(name), WRITERS);
	});

	test(`replacements without a version ${where}`, async (t) => {
		const name = named('put');
		await ask(0, 'POST', CONFIG_MAPS, JSON_TYPE, { metadata: { name } });
		await all(t, (i) => ask(at(i), 'PUT', `${CONFIG_MAPS}/${name}`, JSON_TYPE, mine(name, i)));
		t.is(await keys(name), 1);
	});

	test(`applies to what is not there yet ${where}`, async (t) => {
		const name = named('applied');
		const codes = await all(t, (i) => ask(at(i), 'PATCH', `${CONFIG_MAPS}/${name}?fieldManager=m${i}`, APPLY, mine(name, i)));
		t.is(await keys(name), WRITERS);
		t.is(codes.filter((code) => code === 201).length, 1);
	});

	test(`replacements of what is not there yet, of a kind that a PUT creates ${where}`, async (t) => {
		const name = named('endpoints');
		const path = `/api/v1/namespaces/default/endpoints/${name}`;
		const codes = await all(t, (i) => ask(at(i), 'PUT', path, JSON_TYPE, { metadata: { name, labels: { i: `${i}` } } }), 10);
		t.is(codes.filter((code) => code === 201).length, 1);
	});

	test(`who states a version is told at once ${where}`, async (t) => {
		const name = named('stated');
		const { body } = await ask(0, 'POST', CONFIG_MAPS, JSON_TYPE, { metadata: { name } });
		const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
		const write = (i: number): Promise<Answer> =>
			i % 4 < 2
				? ask(at(i), 'PUT', `${CONFIG_MAPS}/${name}`, JSON_TYPE, { metadata: { name, resourceVersion }, data: { i: `${i}` } })
				: ask(at(i), 'PATCH', `${CONFIG_MAPS}/${name}`, MERGE, { metadata: { resourceVersion }, data: { i: `${i}` } });
		const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => write(i)));
		t.is(answers.filter(({ code }) => code === 200).length, 1);
		for (const answer of answers) if (answer.code !== 200) t.like(answer, { code: 409, body: { reason: 'Conflict' } });
	});
}

test('who never gets there is told when the time of the request is over', async (t) => {
	await ask(0, 'POST', CONFIG_MAPS, JSON_TYPE, { metadata: { name: 'lost' } });
	const answer = ask(0, 'PATCH', `${CONFIG_MAPS}/lost?timeout=5s`, MERGE, { data: { a: 'b' } });
	await clock.advance(4_900);
	t.is(await Promise.race([answer, Promise.resolve('waits')]), 'waits');
	await clock.advance(200);
	t.like(await answer, { code: 504, body: { reason: 'Timeout' } });
});
