/** Collections that are deleted where one of their objects may not go. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { CONFIG_MAPS, NAMESPACES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const OBJECTS = 100;
const KEPT = 'c010';

test('a collection with one that may not go: it is told, what follows stays, and nothing goes on behind the answer', async (t) => {
	const stop = new AbortController();
	const server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	const { client } = server;
	const send = async (
		method: 'GET' | 'POST' | 'DELETE',
		path: string,
		body?: object,
	): Promise<{ readonly status: number; readonly text: string }> => {
		const sent = body === undefined ? {} : { body: JSON.stringify(body) };
		const answer = await client.transport.request({ method, path, headers: { 'content-type': 'application/json' }, ...sent }, stop.signal);
		return { status: answer.status, text: (await buffer(answer.body)).toString() };
	};
	await client.create(NAMESPACES, { metadata: { name: 'n' } });
	const policies = '/apis/admissionregistration.k8s.io/v1';
	await send('POST', `${policies}/validatingadmissionpolicies`, {
		metadata: { name: 'kept' },
		spec: {
			matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }] },
			validations: [{ expression: `oldObject.metadata.name != '${KEPT}'`, message: 'kept' }],
		},
	});
	const binding = { metadata: { name: 'kept' }, spec: { policyName: 'kept', validationActions: ['Deny'] } };
	t.is((await send('POST', `${policies}/validatingadmissionpolicybindings`, binding)).status, 201);
	for (let i = 0; i < OBJECTS; i++)
		await client.create(CONFIG_MAPS, { metadata: { name: `c${String(i).padStart(3, '0')}`, namespace: 'n' } });
	const configMaps = '/api/v1/namespaces/n/configmaps';
	const left = async (): Promise<readonly string[]> =>
		(JSON.parse((await send('GET', configMaps)).text) as { items: { metadata: { name: string } }[] }).items.map(
			({ metadata }) => metadata.name,
		);
	const answer = await send('DELETE', configMaps);
	t.is(answer.status, 422);
	t.regex(answer.text, /ValidatingAdmissionPolicy 'kept' with binding 'kept' denied request: kept/);
	const after = await left();
	t.true(after.includes(KEPT));
	t.true(after.includes(`c0${OBJECTS - 1}`), 'it stopped');
	t.false(after.includes('c000'));
	for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
	t.deepEqual(await left(), after);
	stop.abort();
	await server.stopped;
});
