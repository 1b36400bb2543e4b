/** Objects whose stored version is not the one that is served first, not served at all, or gone from the definition. */
import test, { type ExecutionContext } from 'ava';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { fakeWebhook, type FakeWebhook, type Question } from '../../../test/fakes/webhook.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import type { Client } from '../../../client/client.ts';

interface Thing extends KubeObject {
	readonly spec?: object;
}
const things = (version: string): Resource<Thing> => ({
	...{ group: 'c.io', version, kind: 'Thing', plural: 'things', namespaced: false, subresources: [] },
});
const version = (name: string, field: string, more: object): object => ({
	...{ name, served: true, storage: false },
	schema: {
		openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { [field]: { type: 'string' } } } } },
	},
	...more,
});
const OLD = version('v1alpha1', 'old', {});
const NEW = version('v1', 'fresh', { storage: true });

async function clientOf(t: ExecutionContext): Promise<Client> {
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await api.stopped;
	});
	return api.client;
}

async function define(client: Client, versions: readonly object[], clientConfig?: object): Promise<void> {
	const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
	const spec = { group: 'c.io', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions };
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
		metadata: { name: 'things.c.io' },
		spec: { ...spec, ...(clientConfig === undefined ? {} : { conversion }) },
	} as never);
	await eventually('things are served', () => client.list(things('v1')).then(Boolean, () => false));
}

const patch = (client: Client, spec: object): Promise<unknown> =>
	client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body: { spec } });
const thing = (name: string, spec: object, finalizers = ['c.io/hold']): Thing =>
	({ apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name, finalizers }, spec }) as Thing;
const reason = async (client: Client): Promise<string | undefined> =>
	(await client.get(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io')).status?.conditions?.find(({ type }) => type === 'Terminating')?.reason;

/** Between `old` and `fresh`. */
async function converting(t: ExecutionContext, isUp: () => boolean): Promise<FakeWebhook> {
	const hook = await fakeWebhook(({ objects, desiredAPIVersion }: Question) =>
		isUp()
			? {
					result: { status: 'Success' },
					convertedObjects: (objects as readonly Thing[]).map(({ spec = {}, ...object }) => ({
						...{ ...object, apiVersion: desiredAPIVersion },
						spec: { [desiredAPIVersion === 'c.io/v1' ? 'fresh' : 'old']: Object.values(spec)[0] },
					})),
				}
			: { result: { status: 'Failure', message: 'down' } },
	);
	t.teardown(() => hook[Symbol.dispose]());
	return hook;
}

test('an object that is held while its definition goes keeps what the first version does not know', async (t) => {
	const client = await clientOf(t);
	const hook = await converting(t, () => true);
	await define(client, [OLD, NEW], hook.clientConfig);
	await client.create(things('v1'), thing('a', { fresh: 'yes' }));
	await client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	await eventually('it is marked', async () => (await client.get(things('v1'), 'a')).metadata.deletionTimestamp !== undefined);
	t.deepEqual((await client.get(things('v1'), 'a')).spec, { fresh: 'yes' });
	t.deepEqual((await client.get(things('v1alpha1'), 'a')).spec, { old: 'yes' });
});

test('a definition can go while its conversion webhook is down, and what cannot be converted is not shown', async (t) => {
	const client = await clientOf(t);
	const hook = await converting(t, () => false);
	await define(client, [OLD, NEW], hook.clientConfig);
	await client.create(things('v1'), thing('a', { fresh: 'yes' }));
	await client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	await eventually('it is marked', async () => (await client.get(things('v1'), 'a')).metadata.deletionTimestamp !== undefined);
	t.is(await reason(client), 'InstanceDeletionInProgress');
	await t.throwsAsync(client.get(things('v1alpha1'), 'a'), { message: /^conversion webhook for c.io\/v1, Kind=Thing failed: down$/ });
	await client.patch(things('v1'), 'a', { type: 'merge', body: { metadata: { finalizers: null } } });
	await eventually('the definition is gone', async () => (await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.length === 0);
});

test('many are deleted in another version than theirs only once they are converted', async (t) => {
	const client = await clientOf(t);
	let isUp = false;
	const hook = await converting(t, () => isUp);
	await define(client, [OLD, NEW], hook.clientConfig);
	await client.create(things('v1'), thing('a', { fresh: 'yes' }));
	await t.throwsAsync(client.deleteCollection(things('v1alpha1'), {}), { message: /failed: down$/ });
	t.is((await client.get(things('v1'), 'a')).metadata.deletionTimestamp, undefined);
	isUp = true;
	await client.deleteCollection(things('v1alpha1'), {});
	t.deepEqual((await client.get(things('v1'), 'a')).spec, { fresh: 'yes' });
});

test('a definition that serves no version takes its objects with it', async (t) => {
	const client = await clientOf(t);
	await define(client, [NEW]);
	await client.create(things('v1'), thing('a', {}, []));
	await patch(client, { versions: [version('v1', 'fresh', { storage: true, served: false })] });
	await eventually('it is not served', () => client.list(things('v1')).then(() => false, Boolean));
	await client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	await eventually('the definition is gone', async () => (await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.length === 0);
	await define(client, [NEW]);
	t.deepEqual((await client.list(things('v1'))).items, []);
});

test('an object of a version that the definition has no more is not shown', async (t) => {
	const client = await clientOf(t);
	await define(client, [NEW]);
	await client.create(things('v1'), thing('a', { fresh: 'yes' }, []));
	const [next, before] = [version('v2', 'next', { storage: true }), version('v1', 'fresh', {})];
	await patch(client, { versions: [next, before] });
	const migrated = { type: 'merge', body: { status: { storedVersions: ['v2'] } } } as const;
	await client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', migrated, { subresource: 'status' });
	await patch(client, { versions: [next] });
	await eventually('v1 is not served', () => client.list(things('v1')).then(() => false, Boolean));
	const message = 'request to convert CR from an invalid group/version: c.io/v1';
	await t.throwsAsync(client.get(things('v2'), 'a'), { message });
	const whole = { message: `storage is (re)initializing: failed to list c.io/v2, Kind=Thing: ${message}` };
	await t.throwsAsync(client.list(things('v2')), whole);
	await t.throwsAsync(client.list(things('v2'), { limit: 1 }), { message });
	await t.throwsAsync(client.watch(things('v2'), {})[Symbol.asyncIterator]().next(), whole);
	await t.throwsAsync(client.deleteCollection(things('v2'), {}), { message });
	await t.throwsAsync(client.delete(things('v2'), 'a'), { message });
});

test('integers that no double holds come through a conversion webhook as they are', async (t) => {
	const client = await clientOf(t);
	// As the digits that a webhook in another language writes.
	const spec = { n: JSON.rawJSON('9007199254740993') };
	const hook = await fakeWebhook(({ objects, desiredAPIVersion }: Question) => ({
		result: { status: 'Success' },
		convertedObjects: (objects as readonly Thing[]).map((object) => ({ ...object, apiVersion: desiredAPIVersion, spec })),
	}));
	t.teardown(() => hook[Symbol.dispose]());
	const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
	await define(client, [version('v1alpha1', '', { schema }), version('v1', '', { schema, storage: true })], hook.clientConfig);
	await client.create(things('v1alpha1'), { ...thing('a', { n: 1 }, []), apiVersion: 'c.io/v1alpha1' });
	t.deepEqual((await client.get(things('v1'), 'a')).spec, { n: 9_007_199_254_740_993n });
});
