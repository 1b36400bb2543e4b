/** Owners that are not what references say they are: of another namespace, of another kind, of no kind that is served. */
import test from 'ava';
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { Key, KubeObject, Resource } from '../../../api/resource.ts';
import { CLUSTER_ROLES, CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '../../../api/resources.ts';
import { AppError, codeOf } from '../../../base/errors.ts';
import { noLog } from '../../../base/log.ts';
import { runServices } from '../../../base/service.ts';
import type { Client } from '../../../client/client.ts';
import type { EventRecorder } from '../../../client/events.ts';
import { Informers } from '../../../client/informers.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { GARBAGE_COLLECTOR, garbageCollector } from './service.ts';

const only = { only: [GARBAGE_COLLECTOR] };

async function configMap(client: Client, key: Key, owners: readonly OwnerReference[] = []): Promise<KubeObject> {
	const [namespace, name] = key.split('/');
	return client.create(CONFIG_MAPS, {
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { namespace, name, ownerReferences: [...owners] },
	});
}

const to = ({ metadata: { name = '', uid = '' } }: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
	...{ apiVersion: 'v1', kind: 'ConfigMap', name, uid },
	...more,
});

async function exists(client: Client, key: Key): Promise<boolean> {
	return client.get(CONFIG_MAPS, key).then(
		() => true,
		(error: unknown) => {
			if (codeOf(error) === 'NotFound') return false;
			throw error;
		},
	);
}

async function withNamespaces(body: (cluster: ControlledCluster) => Promise<void>): Promise<void> {
	await controlledCluster(async (cluster) => {
		for (const name of ['a', 'b']) await cluster.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
		await cluster.pass();
		await body(cluster);
	}, only);
}

test('an owner of another namespace is none, and those who refer to it rightly keep it', async (t) =>
	withNamespaces(async ({ client, events, pass }) => {
		const owner = await configMap(client, 'a/owner');
		await pass();
		await configMap(client, 'b/wrong', [to(owner)]);
		await configMap(client, 'a/right', [to(owner)]);
		await pass();
		t.false(await exists(client, 'b/wrong'));
		t.true(await exists(client, 'a/right'));
		t.true(await exists(client, 'a/owner'));
		const uid = owner.metadata.uid ?? '';
		t.deepEqual(await events('wrong'), [
			`OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: b, name: owner, uid: ${uid}] does not exist in namespace "b"`,
		]);
		await client.delete(CONFIG_MAPS, 'a/owner', { propagationPolicy: 'Background' });
		await pass();
		t.false(await exists(client, 'a/right'));
	}));

test('an owner of another name or kind than the reference says is none', async (t) =>
	withNamespaces(async ({ client, pass }) => {
		const owner = await configMap(client, 'a/owner');
		await configMap(client, 'a/other-name', [to(owner, { name: 'another' })]);
		await configMap(client, 'a/other-kind', [to(owner, { kind: 'Secret' })]);
		await configMap(client, 'a/one-of-two', [to(owner), to(owner, { uid: 'gone', name: 'gone' })]);
		await configMap(client, 'a/other-version', [to(owner, { apiVersion: 'v1' })]);
		await pass();
		for (const name of ['other-name', 'other-kind']) t.false(await exists(client, `a/${name}`), name);
		t.deepEqual((await client.get(CONFIG_MAPS, 'a/one-of-two')).metadata.ownerReferences, [to(owner)]);
		t.true(await exists(client, 'a/other-version'));
	}));

test('what is of no namespace keeps an owner that is of one, gone or not', async (t) =>
	withNamespaces(async ({ client, pass }) => {
		const owner = await configMap(client, 'a/owner');
		const role = (name: string, ref: OwnerReference): object => ({
			...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] },
			metadata: { name, ownerReferences: [ref] },
		});
		await client.create(CLUSTER_ROLES, role('one', to(owner)) as KubeObject);
		await pass();
		await client.delete(CONFIG_MAPS, 'a/owner', { propagationPolicy: 'Background' });
		await pass();
		await client.create(CLUSTER_ROLES, role('two', to(owner)) as KubeObject);
		await pass();
		for (const name of ['one', 'two']) t.is((await client.get(CLUSTER_ROLES, name)).metadata.name, name);
	}));

test('an owner of a kind that is not served keeps what has other owners that are gone', async (t) =>
	withNamespaces(async ({ client, pass }) => {
		const owners = [
			{ apiVersion: 'x.io/v1', kind: 'Nothing', name: 'n', uid: 'n' },
			{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' },
		];
		await configMap(client, 'a/kept', owners);
		await pass(60_000);
		t.deepEqual((await client.get(CONFIG_MAPS, 'a/kept')).metadata.ownerReferences, owners);
	}));

test('a kind that is served in another version from now on: its objects and what they own are looked at in that one', async (t) =>
	withNamespaces(async ({ client, pass }) => {
		const foos = (version: string): Resource => ({
			group: 'x.io',
			version,
			kind: 'Foo',
			plural: 'foos',
			namespaced: true,
			subresources: [],
		});
		const version = (name: string, isCurrent: boolean): object => ({
			...{ name, served: isCurrent, storage: isCurrent },
			schema: { openAPIV3Schema: { type: 'object' } },
		});
		await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
			...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
			metadata: { name: 'foos.x.io' },
			spec: {
				...{ group: 'x.io', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' } },
				versions: [version('v1alpha1', true)],
			},
		} as KubeObject);
		await pass(5000);
		const [first, second] = [await configMap(client, 'a/first'), await configMap(client, 'a/second')];
		const foo = await client.create(foos('v1alpha1'), {
			...{ apiVersion: 'x.io/v1alpha1', kind: 'Foo' },
			metadata: { namespace: 'a', name: 'foo', ownerReferences: [to(first), to(second)] },
		});
		await configMap(client, 'a/of-foo', [to(foo, { apiVersion: 'x.io/v1alpha1', kind: 'Foo' })]);
		await pass();
		const body = { spec: { versions: [version('v1alpha1', false), version('v1', true)] } };
		await client.patch(CUSTOM_RESOURCE_DEFINITIONS, 'foos.x.io', { type: 'merge', body });
		await client.delete(CONFIG_MAPS, 'a/first', { propagationPolicy: 'Background' });
		await pass(60_000);
		t.true(await exists(client, 'a/of-foo'));
		t.deepEqual((await client.get(foos('v1'), 'a/foo')).metadata.ownerReferences, [to(second)]);
		await client.delete(CONFIG_MAPS, 'a/second', { propagationPolicy: 'Background' });
		await pass(60_000);
		t.false(await exists(client, 'a/of-foo'));
	}));

test('a kind that cannot be listed keeps the others from being collected for half a minute, no longer', async (t) =>
	controlledCluster(
		async ({ client, clock, pass }) => {
			await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
			const stop = new AbortController();
			const informers = new Informers({ client, clock, log: noLog });
			const recorder = { event: () => {} } as unknown as EventRecorder;
			const collector = garbageCollector({ client: withoutSecrets(client), informers, clock, log: noLog, recorder });
			const running = runServices([informers, collector], stop.signal, () => {});
			await configMap(client, 'a/stray', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' }]);
			await pass(29_000);
			t.true(await exists(client, 'a/stray'));
			await pass(2000);
			t.false(await exists(client, 'a/stray'));
			stop.abort();
			await running;
		},
		{ only: [] },
	));

/** Lists and watches of secrets fail. */
function withoutSecrets(client: Client): Client {
	return new Proxy(client, {
		get(target, property) {
			const own: unknown = Reflect.get(target, property);
			if (typeof own !== 'function') return own;
			return (resource: Resource, ...more: readonly unknown[]): unknown => {
				if (['list', 'watch', 'watchBatches'].includes(String(property)) && resource.plural === 'secrets')
					throw new AppError('Internal', 'conversion webhook failed');
				return Reflect.apply(own, target, [resource, ...more]) as unknown;
			};
		},
	});
}
