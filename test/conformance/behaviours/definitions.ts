/** [sig-api-machinery] CustomResourceDefinition resources, their watch, field selectors of custom resources. */
import {
	ApiextensionsV1Api,
	CustomObjectsApi,
	PatchStrategy,
	setHeaderOptions,
	type KubernetesObject,
	type V1CustomResourceDefinition,
} from '@kubernetes/client-node';
import { defined, definition, established, thing, version } from '../crd.ts';
import { eventually } from '../../tools/eventually.ts';
import { gone } from '../refusals.ts';
import { conformance } from '../suite.ts';
import { Watching } from '../watching.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

conformance(
	'[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] Simple CustomResourceDefinition creating/deleting custom resource definition objects works [Conformance]',
	async (world) => {
		const crds = world.api(ApiextensionsV1Api);
		const custom = await defined(world, definition(world));
		const name = custom.definition.metadata?.name ?? '';
		await crds.deleteCustomResourceDefinition({ name });
		await eventually(`${name} is gone`, () => gone(crds.readCustomResourceDefinition({ name })));
		await eventually(`${name} is no longer served`, async () => (await world.raw('GET', custom.path())).code === 404);
		world.t.pass();
	},
);

conformance(
	'[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] Simple CustomResourceDefinition listing custom resource definition objects works [Conformance]',
	async (world) => {
		const crds = world.api(ApiextensionsV1Api);
		const labelSelector = `conformance-test=${world.namespace}`;
		for (let i = 0; i < 5; i++) await defined(world, definition(world));
		world.t.is((await crds.listCustomResourceDefinition({ labelSelector })).items.length, 5);
		await crds.deleteCollectionCustomResourceDefinition({ labelSelector });
		await eventually('all are gone', async () => (await crds.listCustomResourceDefinition({ labelSelector })).items.length === 0);
	},
);

conformance(
	'[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] Simple CustomResourceDefinition getting/updating/patching custom resource definition status sub-resource works [Conformance]',
	async (world) => {
		const { t } = world;
		const crds = world.api(ApiextensionsV1Api);
		const { definition: made } = await defined(world, definition(world));
		const name = made.metadata?.name ?? '';
		const has = (crd: V1CustomResourceDefinition, type: string): boolean =>
			crd.status?.conditions?.some((c) => c.type === type && c.status === 'True') === true;
		const read = await crds.readCustomResourceDefinitionStatus({ name });
		t.true(has(read, 'Established') && has(read, 'NamesAccepted'));
		const patched = await crds.patchCustomResourceDefinitionStatus(
			{
				name,
				body: [
					{
						op: 'add',
						path: '/status/conditions/-',
						value: { type: 'StatusPatched', status: 'True', reason: 'ByPatch', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
					},
				],
			},
			setHeaderOptions('Content-Type', PatchStrategy.JsonPatch),
		);
		t.true(has(patched, 'StatusPatched'));
		const updated = await eventually('the status is updated', async () => {
			const current = await crds.readCustomResourceDefinitionStatus({ name });
			current.status?.conditions?.push({ type: 'StatusUpdated', status: 'True', reason: 'ByUpdate', message: 'm' });
			return crds.replaceCustomResourceDefinitionStatus({ name, body: current }).catch(() => undefined);
		});
		t.true(has(updated, 'StatusUpdated') && has(updated, 'StatusPatched'));
	},
);

conformance(
	'[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] should include custom resource definition resources in discovery documents [Conformance]',
	async ({ t, raw }) => {
		const { groups } = (await raw('GET', '/apis')).json<{ groups: { name: string; versions: { groupVersion: string }[] }[] }>();
		const group = groups.find((g) => g.name === 'apiextensions.k8s.io');
		t.true(group?.versions.some((v) => v.groupVersion === 'apiextensions.k8s.io/v1'));
		const one = (await raw('GET', '/apis/apiextensions.k8s.io')).json<{ versions: { version: string }[] }>();
		t.true(one.versions.some((v) => v.version === 'v1'));
		const { resources } = (await raw('GET', '/apis/apiextensions.k8s.io/v1')).json<{ resources: { name: string; kind: string }[] }>();
		t.is(resources.find((r) => r.name === 'customresourcedefinitions')?.kind, 'CustomResourceDefinition');
	},
);

conformance(
	'[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] custom resource defaulting for requests and from storage works [Conformance]',
	async (world) => {
		const { t, namespace, api } = world;
		const schema = (defaults: Record<string, string>): object => ({
			type: 'object',
			properties: Object.fromEntries(
				['a', 'b'].map((name) => [name, { type: 'string', ...(name in defaults ? { _default: defaults[name] } : {}) }]),
			),
		});
		const custom = await defined(world, definition(world, [version('v1', schema({ a: 'A' }))]));
		const { group, plural } = custom;
		const objects = api(CustomObjectsApi);
		const which = { group, version: 'v1', namespace, plural };
		const made = (await objects.createNamespacedCustomObject({ ...which, body: thing(custom, 'x') })) as { a?: string; b?: string };
		t.deepEqual([made.a, made.b], ['A', undefined]);
		const name = custom.definition.metadata?.name ?? '';
		await api(ApiextensionsV1Api).patchCustomResourceDefinition(
			{
				name,
				body: [
					{ op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/b/default', value: 'B' },
					{ op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/a/default' },
				],
			},
			setHeaderOptions('Content-Type', PatchStrategy.JsonPatch),
		);
		await eventually('what is stored without b has the new default', async () => {
			const read = (await objects.getNamespacedCustomObject({ ...which, name: 'x' })) as { a?: string; b?: string };
			return read.a === 'A' && read.b === 'B';
		});
		const second = (await objects.createNamespacedCustomObject({ ...which, body: thing(custom, 'y') })) as { a?: string; b?: string };
		t.deepEqual([second.a, second.b], [undefined, 'B']);
	},
);

conformance(
	'[sig-api-machinery] CustomResourceDefinition Watch [Privileged:ClusterAdmin] CustomResourceDefinition Watch watch on custom resource definition objects [Conformance]',
	async (world) => {
		const { t, namespace, api } = world;
		const custom = await defined(world, definition(world));
		const { group, plural } = custom;
		const which = { group, version: 'v1', namespace, plural };
		const objects = api(CustomObjectsApi);
		const watching = await Watching.start(world, custom.path());
		for (const name of ['a', 'b']) {
			await objects.createNamespacedCustomObject({ ...which, body: thing(custom, name) });
			await objects.patchNamespacedCustomObject({ ...which, name, body: { metadata: { labels: { patched: 'yes' } } } }, merge);
			await objects.deleteNamespacedCustomObject({ ...which, name });
		}
		await watching.next('DELETED');
		await watching.next('DELETED');
		t.deepEqual(
			watching.seen.map(({ type, object }) => [type, object.kind, object.metadata?.name]),
			['a', 'b'].flatMap((name) => ['ADDED', 'MODIFIED', 'DELETED'].map((type) => [type, custom.kind, name])),
		);
	},
);

conformance(
	'[sig-api-machinery] CustomResourceFieldSelectors [Privileged:ClusterAdmin] CustomResourceFieldSelectors MUST list and watch custom resources matching the field selector [Conformance]',
	async (world) => {
		const { t, namespace, api } = world;
		const schema = {
			type: 'object',
			properties: { host: { type: 'string' }, port: { type: 'integer' }, open: { type: 'boolean' } },
		};
		const selectableFields = [{ jsonPath: '.host' }, { jsonPath: '.port' }, { jsonPath: '.open' }];
		const custom = await defined(world, definition(world, [version('v1', schema, { selectableFields })]));
		const which = { group: custom.group, version: 'v1', namespace, plural: custom.plural };
		const objects = api(CustomObjectsApi);
		const watching = await Watching.start<KubernetesObject>(world, custom.path(), { fieldSelector: 'host=a,port=80' });
		for (const [name, host, port, open] of [
			['one', 'a', 80, true],
			['two', 'a', 8080, false],
			['three', 'b', 80, true],
		] as const)
			await objects.createNamespacedCustomObject({ ...which, body: thing(custom, name, { host, port, open }) });
		for (const [fieldSelector, names] of [
			['host=a', ['one', 'two']],
			['host=a,port=80', ['one']],
			['host!=a', ['three']],
			['open=false', ['two']],
			['port=80', ['one', 'three']],
		] as const) {
			const { items } = (await objects.listNamespacedCustomObject({ ...which, fieldSelector })) as { items: KubernetesObject[] };
			t.deepEqual(items.map((o) => o.metadata?.name).sort(), [...names].sort(), fieldSelector);
		}
		t.is((await world.raw('GET', `${custom.path()}?fieldSelector=unknown%3Da`)).code, 400);
		await objects.patchNamespacedCustomObject({ ...which, name: 'one', body: { host: 'c' } }, merge);
		await objects.patchNamespacedCustomObject({ ...which, name: 'two', body: { port: 80 } }, merge);
		await watching.next('DELETED');
		await watching.next('ADDED');
		t.deepEqual(
			watching.seen.map(({ type, object }) => [type, object.metadata?.name]),
			[
				['ADDED', 'one'],
				['DELETED', 'one'],
				['ADDED', 'two'],
			],
		);
		await established(world, custom.definition.metadata?.name ?? '');
	},
);
