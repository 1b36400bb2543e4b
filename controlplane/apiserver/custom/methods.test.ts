/** Methods of custom resources: their paths take every one, and each says by itself what it lacks. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { realClock } from '../../../base/clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'OPTIONS';
interface Answer {
	readonly code: number;
	readonly text: string;
}

const stop = new AbortController();
let server: TestApiServer;
const LIST = '/apis/c.io/v1/namespaces/default/things';
const THING = { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' } };

async function ask(method: Method, path: string, body?: object, type = 'application/json', accept = 'application/json'): Promise<Answer> {
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const headers = { 'content-type': type, accept };
	// Clients of ours have no use for OPTIONS, which others send.
	const known = method as Exclude<Method, 'OPTIONS'>;
	const answer = await server.client.transport.request({ method: known, path, headers, ...sent }, stop.signal);
	return { code: answer.status, text: (await buffer(answer.body)).toString() };
}

test.before(async () => {
	server = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	const schema = { openAPIV3Schema: { type: 'object' } };
	const spec = {
		group: 'c.io',
		scope: 'Namespaced',
		names: { plural: 'things', kind: 'Thing' },
		versions: [{ name: 'v1', served: true, storage: true, schema }],
	};
	await server.client.create(CUSTOM_RESOURCE_DEFINITIONS, { metadata: { name: 'things.c.io' }, spec });
	await eventually('it is served', async () => (await ask('GET', LIST)).code === 200);
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

for (const [what, method, path, type, code, message] of [
	['an update of a collection', 'PUT', LIST, undefined, 400, 'name must be provided'],
	['a patch of a collection', 'PATCH', LIST, 'application/merge-patch+json', 400, 'name must be provided'],
	['a patch of a collection, of no type', 'PATCH', LIST, 'foo', 415, /^the body of the request was in an unknown format/],
	['a method that there is none of', 'OPTIONS', `${LIST}/a`, undefined, 405, ' is not supported on resources of kind "things.c.io"'],
] as const)
	test(`refused: ${what}`, async (t) => {
		const answer = await ask(method, path, method === 'OPTIONS' ? undefined : THING, type);
		const status = JSON.parse(answer.text) as { message: string };
		t.is(answer.code, code);
		if (typeof message === 'string') t.is(status.message, message);
		else t.regex(status.message, message);
	});

test('a create at the path of one makes the one of the body', async (t) => {
	const { code, text } = await ask('POST', `${LIST}/b?dryRun=All`, THING);
	t.is(code, 201);
	t.like(JSON.parse(text), { metadata: { name: 'a' } });
});

test('a list always says where it goes on, in YAML and indented too', async (t) => {
	t.regex((await ask('GET', LIST, undefined, undefined, 'application/yaml')).text, /^metadata:\n {2}continue: ""\n/m);
	t.like(JSON.parse((await ask('GET', `${LIST}?pretty=1`)).text), { metadata: { continue: '' } });
});

test('a list in a namespace without a name is that of all', async (t) => {
	t.is((await ask('GET', '/apis/c.io/v1/namespaces//things')).code, 200);
	t.is((await ask('GET', '/api/v1/namespaces//pods')).code, 200);
	t.is((await ask('GET', '/apis/c.io/v1/namespaces//things/a')).code, 404);
	t.is((await ask('POST', '/apis/c.io/v1/namespaces//things', THING)).code, 404);
	t.is((await ask('GET', '/api/v1/namespaces//nodes')).code, 404);
	const { code, text } = await ask('GET', '/api/v1/namespaces//pods/a');
	t.is(code, 400);
	t.like(JSON.parse(text), { message: 'Namespace parameter required.' });
});

test('a path with an empty segment is no page', async (t) => {
	t.deepEqual(await ask('GET', '/apis/c.io/v1/namespaces/default//things'), { code: 404, text: '404 page not found\n' });
});

for (const [resource, path] of [
	['custom resources', LIST],
	['pods', '/api/v1/namespaces/default/pods'],
] as const)
	test(`metadata of no ${resource} is null, not an empty list`, async (t) => {
		const { text } = await ask('GET', path, undefined, undefined, 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io');
		t.is((JSON.parse(text) as { items: unknown }).items, null);
	});
