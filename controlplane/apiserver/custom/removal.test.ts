/** Definitions that go, on virtual time: what their condition says while objects stay, fail to go, or were never there. */
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, RUNTIME_CLASSES } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { noLog } from '../../../base/log.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';

const THINGS: Resource<KubeObject> = { group: 'c.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false, subresources: [] };
const schema = { openAPIV3Schema: { type: 'object' } };

async function serverOf(t: ExecutionContext, clock: VirtualClock, store = createMemoryStore(clock)): Promise<TestApiServer> {
	const stop = new AbortController();
	const api = await testApiServer({ clock, log: noLog, store }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await api.stopped;
	});
	return api;
}

const told = async ({ client }: TestApiServer, type: string): Promise<string> => {
	const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	const one = status?.conditions?.find((condition) => condition.type === type);
	return `${one?.status}/${one?.reason}/${one?.message}`;
};

const verbs = async ({ client }: TestApiServer): Promise<unknown> => {
	const answer = await client.transport.request({ method: 'GET', path: '/apis/c.io/v1' }, new AbortController().signal);
	return (JSON.parse((await buffer(answer.body)).toString()) as { resources: { verbs: unknown }[] }).resources[0]?.verbs;
};

const define = ({ client }: TestApiServer, conversion?: object): Promise<unknown> =>
	client.create(CUSTOM_RESOURCE_DEFINITIONS, {
		metadata: { name: 'things.c.io' },
		spec: {
			group: 'c.io',
			scope: 'Cluster',
			names: { plural: 'things', kind: 'Thing' },
			versions: [{ name: 'v1', served: true, storage: true, schema }],
			...(conversion === undefined ? {} : { conversion }),
		},
	} as never);

test('objects that stay for a minute are told of; once they are let go the definition goes', async (t) => {
	const clock = new VirtualClock();
	const api = await serverOf(t, clock);
	await define(api);
	await eventually('things are served', () =>
		api.client.create(THINGS, { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a', finalizers: ['c.io/hold'] } }).then(
			() => true,
			() => false,
		),
	);
	await api.client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	await eventually('deletion began', async () => {
		await clock.advance(0);
		return (await api.client.get(THINGS, 'a')).metadata.deletionTimestamp !== undefined;
	});
	t.is(await told(api, 'Terminating'), 'True/InstanceDeletionInProgress/CustomResource deletion is in progress');
	await t.throwsAsync(api.client.create(THINGS, { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'b' } }), {
		message: 'things.c.io "b" is forbidden: create not allowed while custom resource definition is terminating',
	});
	const labelled = await api.client.patch(THINGS, 'a', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
	t.deepEqual(labelled.metadata.labels, { a: 'b' }, 'what is there can be written');
	t.deepEqual(await verbs(api), ['delete', 'deletecollection', 'get', 'list', 'watch']);
	const names = { plural: 'things', kind: 'Thing', shortNames: ['th'] };
	await api.client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body: { spec: { names } } });
	await eventually('names are granted all the same', async () => {
		await clock.advance(0);
		const { status } = await api.client.get(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
		return status?.acceptedNames?.shortNames?.[0] === 'th';
	});
	const seen = new Set<string>();
	const stop = new AbortController();
	const watching = (async () => {
		for await (const { object } of api.client.watch(CUSTOM_RESOURCE_DEFINITIONS, { resourceVersion: '0', signal: stop.signal })) {
			const one = (object as { status?: { conditions?: { type: string; reason?: string; message?: string }[] } }).status?.conditions?.find(
				({ type }) => type === 'Terminating',
			);
			seen.add(`${one?.reason}: ${one?.message}`);
		}
	})().catch(() => {});
	await clock.advance(61_000);
	await eventually('it is said', () =>
		Promise.resolve(seen.has('InstanceDeletionCheck: could not confirm zero CustomResources remaining: context deadline exceeded')),
	);
	await api.client.patch(THINGS, 'a', { type: 'merge', body: { metadata: { finalizers: null } } });
	await eventually('the definition is gone', async () => {
		await clock.advance(1000);
		return (await api.client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.length === 0;
	});
	stop.abort();
	await watching;
	t.pass();
});

test('authorities of a converting webhook that cannot be read keep a definition from being established, and are refused later', async (t) => {
	const api = await serverOf(t, new VirtualClock());
	const conversion = (caBundle: string): object => ({
		strategy: 'Webhook',
		webhook: { clientConfig: { caBundle, url: 'https://x' }, conversionReviewVersions: ['v1'] },
	});
	const bad = Buffer.from('Cg==').toString('base64');
	await define(api, conversion(bad));
	await eventually('it is said', async () => (await told(api, 'Established')).includes('Invalid'));
	t.is(await told(api, 'Established'), 'False/InvalidCABundle/The conversion webhook CABundle is invalid');
	t.is(await told(api, 'NamesAccepted'), 'True/NoConflicts/no conflicts found');
	const body = { spec: { conversion: conversion(Buffer.from(api.ca).toString('base64')) } };
	await api.client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body });
	await eventually('it is established', async () => (await told(api, 'Established')).startsWith('True'));
	t.is(await told(api, 'Established'), 'True/InitialNamesAccepted/the initial names have been accepted');
	const refused = await t.throwsAsync(
		api.client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io', { type: 'merge', body: { spec: { conversion: conversion(bad) } } }),
	);
	t.is(
		refused?.message,
		`CustomResourceDefinition.apiextensions.k8s.io "things.c.io" is invalid: spec.conversion.webhookClientConfig.caBundle: Invalid value: "${bad}": unable to load root certificates: unable to parse bytes as PEM block`,
	);
});

test('a definition of another version of a built-in resource has objects of its own, and only those go with it', async (t) => {
	const { client } = await serverOf(t, new VirtualClock());
	const name = 'runtimeclasses.node.k8s.io';
	await client.create(RUNTIME_CLASSES, { metadata: { name: 'kept' }, handler: 'runc' });
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
		metadata: { name, annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' } },
		spec: {
			...{ group: 'node.k8s.io', scope: 'Cluster', names: { plural: 'runtimeclasses', kind: 'RuntimeClass' } },
			versions: [{ name: 'v9', served: true, storage: true, schema }],
		},
	} as never);
	await eventually('it is established', async () => {
		const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, name);
		return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true;
	});
	const runtimeClasses: Resource<KubeObject> = { ...RUNTIME_CLASSES, version: 'v9' } as never;
	t.deepEqual((await client.list(runtimeClasses)).items, [], 'the built-in ones are not of this version');
	await client.create(runtimeClasses, { apiVersion: 'node.k8s.io/v9', kind: 'RuntimeClass', metadata: { name: 'other' } });
	t.deepEqual(
		(await client.list(RUNTIME_CLASSES)).items.map(({ metadata }) => metadata.name),
		['kept'],
	);
	t.is((await client.get(runtimeClasses, 'other')).apiVersion, 'node.k8s.io/v9');
	await client.delete(CUSTOM_RESOURCE_DEFINITIONS, name);
	await eventually('the definition is gone', async () => (await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.length === 0);
	t.deepEqual(
		(await client.list(RUNTIME_CLASSES)).items.map(({ metadata }) => metadata.name),
		['kept'],
	);
});

test('what the store could not write is tried again', async (t) => {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const commit = store.commit.bind(store);
	// The mark of deletion is written, the condition is not.
	const outcomes: ('fails' | 'works')[] = [];
	store.commit = (writes, signal) =>
		writes.some(({ key }) => key.endsWith('/things.c.io')) && outcomes.shift() === 'fails'
			? Promise.reject(new AppError('Unavailable', 'the disk is full'))
			: commit(writes, signal);
	const api = await serverOf(t, clock, store);
	await define(api);
	await eventually('it is established', async () => (await told(api, 'Established')).startsWith('True'));
	outcomes.push('works', 'fails');
	await api.client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'things.c.io');
	await eventually('the definition is gone', async () => {
		await clock.advance(1000);
		return (await api.client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.length === 0;
	});
	t.deepEqual(outcomes, []);
});
