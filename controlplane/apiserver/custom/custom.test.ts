/** Definitions at run time, through a real server: what is served appears, changes and goes, and watches end with it. */
import test, { type ExecutionContext } from 'ava';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';

interface Thing extends KubeObject {
	spec?: { size?: number; name?: string };
}
const thing = (version: string): Resource<Thing> =>
	({ group: 'c.io', version, kind: 'Thing', plural: 'things', namespaced: false }) as Resource<Thing>;
const SCALE = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
const STATUS = { subresource: 'status' } as const;
const schema = {
	openAPIV3Schema: {
		type: 'object',
		properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, name: { type: 'string', default: 'n' } } } },
	},
};
const version = (name: string, storage: boolean, served = true): object => ({ name, served, storage, schema });

async function clientOf(t: ExecutionContext): Promise<Client> {
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await api.stopped;
	});
	return api.client;
}

test('versions of one kind show the same objects; a version that is no longer served ends its watches; deletion takes the objects', async (t) => {
	const client = await clientOf(t);
	const spec = { group: 'c.io', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' } };
	const definition = { metadata: { name: 'things.c.io' }, spec: { ...spec, versions: [version('v1', true), version('v1beta1', false)] } };
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
	await eventually('v1beta1 is served', () =>
		client.list(thing('v1beta1')).then(
			() => true,
			() => false,
		),
	);
	await client.create(thing('v1'), { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { size: 1, zork: 2 } });
	const shown = await client.get(thing('v1beta1'), 'a');
	t.is(shown.apiVersion, 'c.io/v1beta1');
	t.deepEqual(shown.spec, { size: 1, name: 'n' });
	const refused = await t.throwsAsync(
		client.create(thing('v1'), { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'b' }, spec: { size: 'x' } }),
	);
	t.is(
		refused?.message,
		'Thing.c.io "b" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
	);

	const seen: string[] = [];
	const first = Promise.withResolvers<void>();
	const watching = (async () => {
		for await (const event of client.watch(thing('v1beta1'), { resourceVersion: '0' })) {
			seen.push(event.type);
			first.resolve();
		}
	})();
	await first.promise;
	const body = { spec: { versions: [version('v1', true), version('v1beta1', false, false)] } };
	await client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body });
	await watching;
	t.deepEqual(seen, ['ADDED']);
	await t.throwsAsync(client.get(thing('v1beta1'), 'a'));
	t.is((await client.get(thing('v1'), 'a')).spec?.size, 1);

	await client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	await eventually('the definition is gone', async () => (await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.length === 0);
	await t.throwsAsync(client.list(thing('v1')));
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
	await eventually('v1 is served again, empty', () =>
		client.list(thing('v1')).then(
			({ items }) => items.length === 0,
			() => false,
		),
	);
	t.pass();
});

test('a definition that never got its names says so when it goes', async (t) => {
	const client = await clientOf(t);
	const define = (plural: string, finalizers: readonly string[]): Promise<unknown> =>
		client.create(CUSTOM_RESOURCE_DEFINITIONS, {
			metadata: { name: `${plural}.c.io`, finalizers: [...finalizers] },
			spec: { group: 'c.io', scope: 'Cluster', names: { plural, kind: 'Thing' }, versions: [version('v1', true)] },
		});
	const said = async (name: string, type: string): Promise<string | undefined> =>
		(await client.get(CUSTOM_RESOURCE_DEFINITIONS, name)).status?.conditions?.find((one) => one.type === type)?.reason;
	await define('things', []);
	await eventually('the first has its names', async () => (await said('things.c.io', 'Established')) === 'InitialNamesAccepted');
	await define('others', ['c.io/hold']);
	await eventually('the second has not', async () => (await said('others.c.io', 'NamesAccepted')) === 'ListKindConflict');
	const written = await client.get(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	const own = written.metadata.managedFields?.find(({ manager }) => manager === 'kube-apiserver');
	t.like(own, { operation: 'Update', subresource: 'status' }, 'its status is what the server itself wrote');
	t.false(written.status?.conditions?.some((one) => 'observedGeneration' in one));
	await client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'others.c.io');
	await eventually('it was never established', async () => (await said('others.c.io', 'Terminating')) === 'NeverEstablished');
	const { metadata } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, 'others.c.io');
	t.deepEqual([metadata.generation, metadata.deletionGracePeriodSeconds], [1, undefined], 'going is no change of what was asked for');
});

test('a definition whose conditions a client took away is served once it is established again', async (t) => {
	const client = await clientOf(t);
	const spec = { group: 'c.io', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions: [version('v1', true)] };
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, { metadata: { name: 'things.c.io' }, spec } as never);
	const isServed = (): Promise<boolean> => client.list(thing('v1')).then(Boolean, () => false);
	await eventually('it is served', isServed);
	const say = (conditions: readonly object[]): Promise<unknown> =>
		client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body: { status: { conditions } } }, STATUS);
	await say([]);
	await eventually('it is served no more', async () => !(await isServed()));
	await say([{ type: 'NamesAccepted', status: 'True' }]);
	await eventually('it is served again', isServed);
	t.pass();
});

test('whoever asks for what a deprecated version has not hears of it, too', async (t) => {
	const client = await clientOf(t);
	const versions = [{ ...version('v1', true), deprecated: true, subresources: { scale: SCALE } }];
	const spec = { group: 'c.io', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions };
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, { metadata: { name: 'things.c.io' }, spec } as never);
	await eventually('it is served', () => client.list(thing('v1')).then(Boolean, () => false));
	for (const [method, path, code] of [
		['GET', 'status', 404],
		['DELETE', 'scale', 405],
	] as const) {
		const { status, warnings } = await client.transport.request(
			{ method, path: `/apis/c.io/v1/things/a/${path}` },
			new AbortController().signal,
		);
		t.deepEqual([status, warnings], [code, ['c.io/v1 Thing is deprecated']]);
	}
});

test('the generation of a definition counts empty lists where they are values, and not where they are schemas', async (t) => {
	const client = await clientOf(t);
	const of = (property: object): object => ({
		versions: [
			{
				...{ name: 'v1', served: true, storage: true },
				schema: { openAPIV3Schema: { type: 'object', properties: { default: { type: 'array', items: { type: 'string' }, ...property } } } },
			},
		],
	});
	const names = { plural: 'things', kind: 'Thing' };
	const spec = { group: 'c.io', scope: 'Cluster', names, ...of({}) };
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, { metadata: { name: 'things.c.io' }, spec } as never);
	const generation = async (property: object): Promise<number | undefined> =>
		(await client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body: { spec: of(property) } })).metadata.generation;
	t.is(await generation({}), 1);
	t.is(await generation({ required: [] }), 1);
	t.is(await generation({ default: [] }), 2);
	t.is(await generation({ default: [] }), 2);
	t.is(await generation({ default: [], example: [] }), 3);
	t.is(await generation({}), 4);
});
