/** [sig-api-machinery] CustomResourcePublishOpenAPI: what is defined is published, and kubectl reads it. */
import { ApiextensionsV1Api, PatchStrategy, setHeaderOptions, type V1JSONSchemaProps } from '@kubernetes/client-node';
import { defined, definition, version, type Custom } from '../crd.ts';
import { eventually } from '../../tools/eventually.ts';
import { conformance, type World } from '../suite.ts';

const json = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch);

const FOO: V1JSONSchemaProps = {
	type: 'object',
	description: 'Foo CRD for Testing',
	properties: {
		spec: {
			type: 'object',
			description: 'Specification of Foo',
			properties: {
				bars: {
					description: 'List of Bars and their specs.',
					type: 'array',
					items: {
						type: 'object',
						required: ['name'],
						properties: {
							name: { description: 'Name of Bar.', type: 'string' },
							age: { description: 'Age of Bar.', type: 'string' },
							feeling: { description: 'Whether Bar is feeling great.', type: 'string', enum: ['Great', 'Down'] },
						},
					},
				},
			},
		},
		status: { type: 'object', description: 'Status of Foo', properties: { ready: { type: 'boolean' } } },
	},
};

type Schema = Record<string, unknown> & { readonly properties?: Record<string, Schema> };

const modelName = (custom: Custom, v: string): string => `${custom.group.split('.').reverse().join('.')}.${v}.${custom.kind}`;

/** The kind's schema in OpenAPI v2, undefined while there is none. */
async function published({ raw }: World, custom: Custom, v = 'v1'): Promise<Schema | undefined> {
	const { definitions } = (await raw('GET', '/openapi/v2')).json<{ definitions: Record<string, Schema> }>();
	return definitions[modelName(custom, v)];
}
const appears = (world: World, custom: Custom, v = 'v1'): Promise<Schema> =>
	eventually(`${custom.kind} ${v} is published`, () => published(world, custom, v));
const disappears = (world: World, custom: Custom, v: string): Promise<unknown> =>
	eventually(`${custom.kind} ${v} is no longer published`, async () => (await published(world, custom, v)) === undefined);

const yaml = (custom: Custom, name: string, rest: string): string =>
	`{"apiVersion":"${custom.group}/v1","kind":"${custom.kind}","metadata":{"name":"${name}"}${rest === '' ? '' : `,${rest}`}}`;

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD with validation schema [Conformance]',
	async (world) => {
		const { t, k } = world;
		const custom = await defined(world, definition(world, [version('v1', FOO)]));
		const schema = await appears(world, custom);
		t.is(schema['description'], 'Foo CRD for Testing');
		t.truthy(schema.properties?.['spec']?.properties?.['bars']);
		await k.must(['create', '-f', '-'], { input: yaml(custom, 'good', '"spec":{"bars":[{"name":"b","feeling":"Great"}]}') });
		const apply = (rest: string): Promise<{ code: number; stderr: string }> =>
			k.run(['apply', '-f', '-'], { input: yaml(custom, 'bad', rest) });
		t.regex((await apply('"spec":{"bars":[{"name":"b","unknown":"x"}]}')).stderr, /unknown field "spec\.bars\[0\]\.unknown"/);
		t.regex((await apply('"spec":{"bars":[{"age":"10"}]}')).stderr, /spec\.bars\[0\]\.name: Required value/);
		t.regex((await apply('"spec":{"bars":[{"name":"b","feeling":"Odd"}]}')).stderr, /Unsupported value: "Odd"/);
		t.regex(await k.must(['explain', custom.plural]), /Foo CRD for Testing/);
		t.regex(await k.must(['explain', `${custom.plural}.spec`]), /Specification of Foo[\s\S]*List of Bars and their specs/);
		t.regex(await k.must(['explain', `${custom.plural}.spec.bars`]), /name\s+<string> -required-/);
		t.regex((await k.run(['explain', `${custom.plural}.spec.bars2`])).stderr, /field "bars2" does not exist/);
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD without validation schema [Conformance]',
	async (world) => {
		const { t, k } = world;
		const custom = await defined(world, definition(world));
		const schema = await appears(world, custom);
		t.is(schema.properties, undefined);
		await k.must(['create', '-f', '-'], { input: yaml(custom, 'x', '"spec":{"a":null,"b":[{"c":"d"}]}') });
		await k.must(['apply', '-f', '-'], { input: yaml(custom, 'x', '"spec":{"a":1}') });
		t.regex(await k.must(['explain', custom.plural]), /<empty>/);
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD preserving unknown fields at the schema root [Conformance]',
	async (world) => {
		const { t, k } = world;
		const custom = await defined(
			world,
			definition(world, [
				version('v1', { type: 'object', x_kubernetes_preserve_unknown_fields: true, properties: { spec: { type: 'object' } } }),
			]),
		);
		const schema = await appears(world, custom);
		t.is(schema.properties, undefined); // kubectl must not judge what it cannot know
		await k.must(['create', '-f', '-'], { input: yaml(custom, 'x', '"anything":{"a":[1]}') });
		await k.must(['apply', '-f', '-'], { input: yaml(custom, 'x', '"anything":{"a":[2]}') });
		t.is(await k.must(['get', custom.plural, 'x', '-o', 'jsonpath={.anything.a[0]}']), '2');
		t.regex(await k.must(['explain', custom.plural]), new RegExp(`KIND:\\s+${custom.kind}`));
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD preserving unknown fields in an embedded object [Conformance]',
	async (world) => {
		const { t, k } = world;
		const custom = await defined(
			world,
			definition(world, [
				version('v1', {
					type: 'object',
					properties: {
						spec: {
							type: 'object',
							x_kubernetes_preserve_unknown_fields: true,
							x_kubernetes_embedded_resource: true,
							description: 'Specification of Waldo',
						},
					},
				}),
			]),
		);
		const spec = (await appears(world, custom)).properties?.['spec'];
		t.is(spec?.['x-kubernetes-preserve-unknown-fields'], true);
		const embedded = '"spec":{"apiVersion":"v1","kind":"X","metadata":{"name":"in"},"b":[{"c":"d"}]}';
		await k.must(['create', '-f', '-'], { input: yaml(custom, 'x', embedded) });
		t.is(await k.must(['get', custom.plural, 'x', '-o', 'jsonpath={.spec.b[0].c}']), 'd');
		t.regex(await k.must(['explain', `${custom.plural}.spec`]), /Specification of Waldo/);
	},
);

const several = async (world: World, customs: readonly (readonly [Custom, string])[]): Promise<void> => {
	for (const [custom, v] of customs) world.t.is((await appears(world, custom, v))['description'], 'Foo CRD for Testing');
};

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for multiple CRDs of different groups [Conformance]',
	async (world) => {
		const made = [];
		for (const group of ['one', 'two'])
			made.push(await defined(world, definition(world, [version('v1', FOO)], { group: `${group}.${world.namespace}.kubeling.test` })));
		await several(
			world,
			made.map((custom) => [custom, 'v1'] as const),
		);
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for multiple CRDs of same group and version but different kinds [Conformance]',
	async (world) => {
		const made = [];
		for (let i = 0; i < 2; i++) made.push(await defined(world, definition(world, [version('v1', FOO)])));
		await several(
			world,
			made.map((custom) => [custom, 'v1'] as const),
		);
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for multiple CRDs of same group but different versions [Conformance]',
	async (world) => {
		const both = await defined(world, definition(world, [version('v1', FOO), version('v2', FOO)]));
		const other = await defined(world, definition(world, [{ ...version('v4', FOO), storage: true }]));
		await several(world, [
			[both, 'v1'],
			[both, 'v2'],
			[other, 'v4'],
		]);
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] removes definition from spec when one version gets changed to not be served [Conformance]',
	async (world) => {
		const custom = await defined(world, definition(world, [version('v1', FOO), version('v2', FOO)]));
		await several(world, [
			[custom, 'v1'],
			[custom, 'v2'],
		]);
		const body = [{ op: 'replace', path: '/spec/versions/1/served', value: false }];
		await world.api(ApiextensionsV1Api).patchCustomResourceDefinition({ name: custom.definition.metadata?.name ?? '', body }, json);
		await disappears(world, custom, 'v2');
		world.t.truthy(await published(world, custom));
	},
);

conformance(
	'[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] updates the published spec when one version gets renamed [Conformance]',
	async (world) => {
		const custom = await defined(world, definition(world, [version('v1', FOO), version('v2', FOO)]));
		await several(world, [
			[custom, 'v1'],
			[custom, 'v2'],
		]);
		const before = await published(world, custom);
		const body = [{ op: 'replace', path: '/spec/versions/1/name', value: 'v3' }];
		await world.api(ApiextensionsV1Api).patchCustomResourceDefinition({ name: custom.definition.metadata?.name ?? '', body }, json);
		await appears(world, custom, 'v3');
		await disappears(world, custom, 'v2');
		world.t.deepEqual(await published(world, custom), before);
	},
);
