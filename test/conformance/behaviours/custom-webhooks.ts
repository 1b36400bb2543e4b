/** [sig-api-machinery] AdmissionWebhook and CustomResourceConversionWebhook for custom resources. */
import { ApiextensionsV1Api, CustomObjectsApi, PatchStrategy, setHeaderOptions, type KubernetesObject } from '@kubernetes/client-node';
import { ANYTHING, defined, definition, thing, version, type Custom } from '../crd.ts';
import { refusal } from '../refusals.ts';
import { deny, patch, rule, startHooks, webhook, type Reply } from '../hooks.ts';
import { behaves, conformance, type World } from '../suite.ts';
import { configured } from '../webhook-configurations.ts';

type Object = KubernetesObject & {
	readonly data?: Record<string, string>;
	readonly host?: string;
	readonly port?: string;
	readonly hostPort?: string;
};

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const json = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch);

interface Objects {
	create(body: object): Promise<Object>;
	read(name: string): Promise<Object>;
	patch(name: string, body: object): Promise<Object>;
	delete(name: string): Promise<unknown>;
	list(): Promise<readonly Object[]>;
}

function objects({ api, namespace }: World, { group, plural }: Custom, v = 'v1'): Objects {
	const all = api(CustomObjectsApi);
	const which = { group, version: v, namespace, plural };
	return {
		create: (body) => all.createNamespacedCustomObject({ ...which, body }) as Promise<Object>,
		read: (name) => all.getNamespacedCustomObject({ ...which, name }) as Promise<Object>,
		patch: (name, body) => all.patchNamespacedCustomObject({ ...which, name, body }, merge) as Promise<Object>,
		delete: (name) => all.deleteNamespacedCustomObject({ ...which, name }),
		list: async () => ((await all.listNamespacedCustomObject(which)) as { items: Object[] }).items,
	};
}

/** Two stages, the second only after the first. */
const stages: Record<string, Reply> = {
	'/1': ({ object }) =>
		object?.data?.['mutation-start'] === 'yes' ? patch({ op: 'add', path: '/data/mutation-stage-1', value: 'yes' }) : {},
	'/2': ({ object }) =>
		object?.data?.['mutation-stage-1'] === 'yes' ? patch({ op: 'add', path: '/data/mutation-stage-2', value: 'yes' }) : {},
};

async function mutated(world: World, custom: Custom, operations = ['CREATE']): Promise<void> {
	const hooks = await startHooks(world, stages);
	const rules = [rule(custom.plural, operations, custom.group)];
	const hook = (path: string) => webhook(world, hooks, path, rules, { name: `stage${path.slice(1)}.kubeling.test` });
	await configured(world, 'mutating', hook('/1'), hook('/2'));
}

const DATA = { type: 'object', properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } };

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to deny custom resource creation, update and deletion [Conformance]',
	async (world) => {
		const { t } = world;
		const custom = await defined(world, definition(world));
		const hooks = await startHooks(world, {
			'/cr': ({ object, oldObject, operation }) =>
				(operation === 'DELETE' ? oldObject : object)?.data?.['webhook-e2e-test'] === 'webhook-disallow'
					? deny('the custom resource contains unwanted data')
					: {},
		});
		const rules = [rule(custom.plural, ['CREATE', 'UPDATE', 'DELETE'], custom.group)];
		const remove = await configured(world, 'validating', webhook(world, hooks, '/cr', rules));
		const all = objects(world, custom);
		const unwanted = /denied the request: the custom resource contains unwanted data/;
		const bad = { data: { 'webhook-e2e-test': 'webhook-disallow' } };
		t.regex((await refusal(all.create(thing(custom, 'bad', bad)))).message, unwanted);
		await all.create(thing(custom, 'good', { data: { 'webhook-e2e-test': 'fine' } }));
		t.regex((await refusal(all.patch('good', bad))).message, unwanted);
		await all.delete('good');
		await remove();
		await all.create(thing(custom, 'stays', bad));
		await configured(world, 'validating', webhook(world, hooks, '/cr', rules));
		t.regex((await refusal(all.delete('stays'))).message, unwanted);
		await all.patch('stays', { data: { 'webhook-e2e-test': 'fine' } });
		await all.delete('stays');
	},
);

conformance('[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate custom resource [Conformance]', async (world) => {
	const custom = await defined(world, definition(world));
	await mutated(world, custom);
	const { data } = await objects(world, custom).create(thing(custom, 'x', { data: { 'mutation-start': 'yes' } }));
	world.t.deepEqual(data, { 'mutation-start': 'yes', 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
});

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate custom resource with pruning [Conformance]',
	async (world) => {
		const properties = { 'mutation-start': { type: 'string' }, 'mutation-stage-1': { type: 'string' } };
		const schema = { type: 'object', properties: { data: { type: 'object', properties } } }; // stage 2 is pruned
		const custom = await defined(world, definition(world, [version('v1', schema)]));
		await mutated(world, custom);
		const { data } = await objects(world, custom).create(thing(custom, 'x', { data: { 'mutation-start': 'yes' } }));
		world.t.deepEqual(data, { 'mutation-start': 'yes', 'mutation-stage-1': 'yes' });
	},
);

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate custom resource with different stored version [Conformance]',
	async (world) => {
		const { t, api } = world;
		const custom = await defined(world, definition(world, [version('v1', DATA), version('v2', DATA)]));
		await mutated(world, custom, ['CREATE', 'UPDATE']);
		const all = objects(world, custom);
		await all.create(thing(custom, 'x', { data: { 'mutation-start': 'no' } }));
		const body = [
			{ op: 'replace', path: '/spec/versions/0/storage', value: false },
			{ op: 'replace', path: '/spec/versions/1/storage', value: true },
		];
		await api(ApiextensionsV1Api).patchCustomResourceDefinition({ name: custom.definition.metadata?.name ?? '', body }, json);
		const { data, apiVersion } = await all.patch('x', { data: { 'mutation-start': 'yes' } });
		t.is(apiVersion, `${custom.group}/v1`);
		t.deepEqual(data, { 'mutation-start': 'yes', 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
		t.deepEqual((await objects(world, custom, 'v2').read('x')).data, data);
	},
);

/** v1 has hostPort, v2 has host and port. */
const convert: Reply = ({ desiredAPIVersion, objects: given }) => ({
	convertedObjects: given.map((object) => {
		if (object.apiVersion === desiredAPIVersion) return object;
		const { hostPort, host, port, ...rest } = object as Object;
		if (desiredAPIVersion.endsWith('/v1')) return { ...rest, apiVersion: desiredAPIVersion, hostPort: `${host}:${port}` };
		const [h, p] = (hostPort ?? ':').split(':');
		return { ...rest, apiVersion: desiredAPIVersion, host: h, port: p };
	}),
});

async function converted(world: World): Promise<Custom> {
	const hooks = await startHooks(world, { '/convert': convert });
	const { service, caBundle } = hooks.client('/convert');
	const text = { type: 'string' };
	const versions = [
		version('v1', { ...ANYTHING, properties: { hostPort: text } }),
		version('v2', { ...ANYTHING, properties: { host: text, port: text } }),
	];
	return defined(
		world,
		definition(world, versions, {
			conversion: {
				strategy: 'Webhook',
				webhook: { conversionReviewVersions: ['v1'], clientConfig: { caBundle, ...(service === undefined ? {} : { service }) } },
			},
		}),
	);
}

conformance(
	'[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert from CR v1 to CR v2 [Conformance]',
	async (world) => {
		const { t } = world;
		const custom = await converted(world);
		await objects(world, custom).create(thing(custom, 'x', { hostPort: 'localhost:8080' }));
		const { host, port, hostPort, metadata } = await objects(world, custom, 'v2').read('x');
		t.deepEqual([host, port, hostPort], ['localhost', '8080', undefined]);
		t.is(metadata?.uid, (await objects(world, custom).read('x')).metadata?.uid);
	},
);

conformance(
	'[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert a non homogeneous list of CRs [Conformance]',
	async (world) => {
		const { t, api } = world;
		const custom = await converted(world);
		await objects(world, custom).create(thing(custom, 'one', { hostPort: 'localhost:8080' }));
		const body = [
			{ op: 'replace', path: '/spec/versions/0/storage', value: false },
			{ op: 'replace', path: '/spec/versions/1/storage', value: true },
		];
		await api(ApiextensionsV1Api).patchCustomResourceDefinition({ name: custom.definition.metadata?.name ?? '', body }, json);
		await objects(world, custom, 'v2').create(thing(custom, 'two', { host: 'other', port: '80' }, 'v2'));
		const first = await objects(world, custom).list();
		t.deepEqual(
			first.map((o) => [o.apiVersion, o.hostPort]),
			[
				[`${custom.group}/v1`, 'localhost:8080'],
				[`${custom.group}/v1`, 'other:80'],
			],
		);
		const second = await objects(world, custom, 'v2').list();
		t.deepEqual(
			second.map((o) => [o.host, o.port]),
			[
				['localhost', '8080'],
				['other', '80'],
			],
		);
	},
);

behaves('patches that meet while a webhook thinks all land, in any order', async (world) => {
	const custom = await defined(world, definition(world));
	const hooks = await startHooks(world, { '/slow': () => new Promise((resolve) => setTimeout(() => resolve({}), 50)) });
	await configured(world, 'validating', webhook(world, hooks, '/slow', [rule(custom.plural, ['UPDATE'], custom.group)]));
	const all = objects(world, custom);
	await all.create(thing(custom, 'x', { data: {} }));
	await Promise.all(['a', 'b', 'c', 'd'].map((key) => all.patch('x', { data: { [key]: 'yes' } })));
	world.t.deepEqual((await all.read('x')).data, { a: 'yes', b: 'yes', c: 'yes', d: 'yes' });
});
