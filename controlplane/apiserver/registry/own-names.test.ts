/** Keys that every JavaScript object inherits are keys like others: a whole server, in process. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { NAMESPACES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { remoteUser } from '../authn/front-proxy.ts';
import { askedUser } from '../authn/impersonation.ts';

const stop = new AbortController();
let server: TestApiServer;

test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	await server.client.create(NAMESPACES, { metadata: { name: 'n' } });
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

const KEYS = '"__proto__":"eA==","constructor":"eQ=="';

async function ask(method: 'POST' | 'PUT' | 'PATCH' | 'GET', path: string, type: string, body?: string): Promise<string> {
	const sent = body === undefined ? {} : { body };
	const answer = await server.client.transport.request({ method, path, headers: { 'content-type': type }, ...sent }, stop.signal);
	return (await buffer(answer.body)).toString();
}

const secrets = '/api/v1/namespaces/n/secrets';
const begun = (name: string): string => `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"${name}"}`;
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

for (const [what, name, requests] of [
	['sent as a text', 'a', [['POST', secrets, 'application/json', `${begun('a')},"stringData":{"__proto__":"x","constructor":"y"}}`]]],
	['applied', 'b', [['PATCH', `${secrets}/b?fieldManager=m`, APPLY, `${begun('b')},"data":{${KEYS}}}`]]],
	[
		'applied to what has others',
		'c',
		[
			['PATCH', `${secrets}/c?fieldManager=l`, APPLY, `${begun('c')},"data":{"constructor":"eQ=="}}`],
			['PATCH', `${secrets}/c?fieldManager=m`, APPLY, `${begun('c')},"data":{"__proto__":"eA=="}}`],
		],
	],
	[
		'put',
		'f',
		[
			['POST', secrets, 'application/json', `${begun('f')}}`],
			['PUT', `${secrets}/f`, 'application/json', `${begun('f')},"data":{${KEYS}}}`],
		],
	],
	[
		'merged',
		'd',
		[
			['POST', secrets, 'application/json', `${begun('d')}}`],
			['PATCH', `${secrets}/d`, MERGE, `{"data":{${KEYS}}}`],
		],
	],
	[
		'merged strategically',
		'e',
		[
			['POST', secrets, 'application/json', `${begun('e')}}`],
			['PATCH', `${secrets}/e`, STRATEGIC, `{"data":{${KEYS}},"metadata":{"__proto__":{"labels":{"polluted":"x"}}}}`],
		],
	],
] as const)
	test(`keys that objects inherit: ${what}`, async (t) => {
		for (const [method, path, type, body] of requests) await ask(method, path, type, body);
		const stored = await ask('GET', `${secrets}/${name}`, 'application/json');
		t.regex(stored, /"data":\{"__proto__":"eA==","constructor":"eQ=="\}/);
		t.false(stored.includes('polluted'));
	});

for (const field of ['__proto__', 'constructor', 'toString'])
	test(`a field selector knows no field ${field}`, async (t) => {
		t.true((await ask('GET', `${secrets}?fieldSelector=${field}%3Dx`, '')).includes(`field label not supported: ${field}`));
		const pods = await ask('GET', `/api/v1/namespaces/n/pods?fieldSelector=${field}%3Dx`, '');
		t.true(pods.includes(`field label not supported: ${field}`));
	});

test('what is said of a user by such a key is asked about as all else', (t) => {
	const keys = (user: { readonly extra: object } | undefined): readonly string[] => Object.keys(user?.extra ?? {});
	t.deepEqual(keys(askedUser({ 'impersonate-user': 'u', 'impersonate-extra-__proto__': 'x' })), ['__proto__']);
	const options = {
		...{ clientCa: '', allowedNames: [], usernameHeaders: ['X-Remote-User'], uidHeaders: [], groupHeaders: [] },
		extraHeaderPrefixes: ['X-Remote-Extra-'],
	};
	t.deepEqual(keys(remoteUser(options, { 'x-remote-user': 'u', 'x-remote-extra-__proto__': 'x' })), ['__proto__']);
});
