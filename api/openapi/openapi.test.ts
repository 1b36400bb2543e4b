import test from 'ava';
import { customParts } from './custom.ts';
import { gnosticDocumentV3 } from './gnostic-v3.ts';
import { openApiV2, openApiV2With, openApiV3, openApiV3Root } from './documents.ts';
import type { Schema } from '../structural/schema.ts';

type Json = Record<string, unknown>;
const parse = (bytes: Uint8Array | undefined): Json => JSON.parse(Buffer.from(bytes ?? []).toString()) as Json;
const at = (value: unknown, ...path: readonly string[]): unknown => {
	let found = value;
	for (const key of path) found = (found as Json | undefined)?.[key];
	return found;
};

test('openApiV3(): paths, schemas and markers of a group version', (t) => {
	const apps = parse(openApiV3('apis/apps/v1')?.bytes);
	const schemas = at(apps, 'components', 'schemas');
	t.deepEqual(at(schemas, 'io.k8s.api.apps.v1.Deployment', 'x-kubernetes-group-version-kind'), [
		{ group: 'apps', version: 'v1', kind: 'Deployment' },
	]);
	t.is(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers', 'x-kubernetes-patch-merge-key'), 'name');
	const patch = at(apps, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch') as { parameters: { name: string }[] };
	t.true(patch.parameters.some(({ name }) => name === 'fieldValidation'));
});

test('openApiV3Root() names every document with its hash', (t) => {
	const url = at(parse(openApiV3Root().bytes), 'paths', 'apis/apps/v1', 'serverRelativeURL');
	t.is(url, `/openapi/v3/apis/apps/v1?hash=${openApiV3('apis/apps/v1')?.hash}`);
	t.is(openApiV3('apis/zork/v1'), undefined);
});

test('openApiV2(): JSON and protobuf, which starts with the swagger version', (t) => {
	t.is(at(parse(openApiV2('json').bytes), 'definitions', 'io.k8s.api.core.v1.Pod', 'type'), 'object');
	t.is(Buffer.from(openApiV2('protobuf').bytes.subarray(0, 5)).toString('latin1'), '\n\u00032.0');
});

/** A message as text: lengths and tags are characters, too. */
const message = (...parts: readonly (readonly [field: number, value: string])[]): string =>
	parts.map(([field, value]) => `${tag(field * 8 + 2)}${tag(value.length)}${value}`).join('');
const tag = (number: number): string =>
	number < 128 ? String.fromCharCode(number) : String.fromCharCode((number & 127) | 128) + tag(number >> 7);

test('gnosticDocumentV3(): paths, answers, schemas with defaults of objects, extensions as YAML in blocks', (t) => {
	const spec = {
		openapi: '3.0.0',
		info: { title: 'T', version: 'v' },
		paths: { '/a': { get: { tags: ['x'], responses: { '200': { description: 'OK', content: { j: { schema: { $ref: '#/r' } } } } } } } },
		components: {
			schemas: {
				A: {
					type: 'object',
					required: ['k'],
					properties: { k: { allOf: [{ $ref: '#/r' }], default: {} }, e: { type: 'string', enum: ['SIGRTMIN+1', ''], default: '' } },
					'x-kubernetes-group-version-kind': [{ group: '', kind: 'A', deep: { list: ['v1'] } }],
				},
			},
		},
	};
	const ref = message([2, message([1, '#/r'])]);
	const answer = message([1, message([1, 'OK'], [3, message([1, message([1, 'j'], [2, message([1, ref])])])])]);
	const get = message([1, 'x'], [8, message([2, message([1, '200'], [2, answer])])]);
	const yaml = '- group: ""\n  kind: A\n  deep:\n    list:\n      - v1\n';
	const k = message([26, ref], [33, '']);
	const e = message([24, message([2, 'SIGRTMIN+1\n'])], [24, message([2, '""\n'])], [25, 'string'], [33, message([3, ''])]);
	const properties = message([1, message([1, 'k'], [2, message([1, k])])], [1, message([1, 'e'], [2, message([1, e])])]);
	const extension = message([1, 'x-kubernetes-group-version-kind'], [2, message([2, yaml])]);
	const a = message([23, 'k'], [25, 'object'], [31, properties], [36, extension]);
	const want = message(
		[1, '3.0.0'],
		[2, message([1, 'T'], [6, 'v'])],
		[4, message([1, message([1, '/a'], [2, message([4, get])])])],
		[5, message([1, message([1, message([1, 'A'], [2, message([1, a])])])])],
	);
	t.is(Buffer.from(gnosticDocumentV3(spec)).toString('latin1'), want);
});

type Item = Readonly<Record<string, { operationId: string; parameters?: Named[] }>> & { readonly parameters?: Named[] };
type Named = { name?: string; in?: string; $ref?: string };
const named = (parameters: readonly Named[] | undefined): string[] =>
	(parameters ?? []).map(({ name, in: where, $ref }) => $ref ?? `${where} ${name}`);
const core = parse(openApiV3('api/v1')?.bytes);
const item = (path: string): Item => at(core, 'paths', path) as Item;

test('openApiV3(): connections have every method, and the fields of their options as parameters', (t) => {
	const proxy = item('/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}');
	t.deepEqual(Object.keys(proxy), ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'parameters']);
	t.is(proxy['options']?.operationId, 'connectCoreV1OptionsNamespacedPodProxyWithPath');
	t.deepEqual(named(proxy.parameters), ['path name', 'path namespace', 'path path', 'query path']);
	const exec = item('/api/v1/namespaces/{namespace}/pods/{name}/exec');
	t.deepEqual(Object.keys(exec), ['get', 'post', 'parameters']);
	t.deepEqual(
		named(exec.parameters).filter((name) => name.startsWith('query')),
		['command', 'container', 'stderr', 'stdin', 'stdout', 'tty'].map((name) => `query ${name}`),
	);
	t.is(at(core, 'components', 'schemas', 'io.k8s.api.core.v1.PodExecOptions'), undefined);
});

for (const [path, method, want] of [
	['/api/v1/', 'get', 'getCoreV1APIResources'],
	['/api/v1/configmaps', 'get', 'listCoreV1ConfigMapForAllNamespaces'],
	['/api/v1/namespaces/{namespace}/configmaps', 'delete', 'deleteCoreV1CollectionNamespacedConfigMap'],
	['/api/v1/namespaces/{name}/finalize', 'put', 'replaceCoreV1NamespaceFinalize'],
	['/api/v1/namespaces/{namespace}/pods/{name}/eviction', 'post', 'createCoreV1NamespacedPodEviction'],
	['/api/v1/watch/configmaps', 'get', 'watchCoreV1ConfigMapListForAllNamespaces'],
	['/api/v1/watch/namespaces', 'get', 'watchCoreV1NamespaceList'],
] as const)
	test(`openApiV3(): the operation ${want}`, (t) => t.is(item(path)[method]?.operationId, want));

test('openApiV3(): parameters of all operations of a path stand beside them', (t) => {
	const one = item('/api/v1/namespaces/{namespace}/configmaps/{name}');
	t.deepEqual(named(one.parameters), ['path name', 'path namespace', 'query pretty']);
	t.deepEqual(named(one['patch']?.parameters), ['query dryRun', 'query fieldManager', 'query fieldValidation', 'query force']);
});

test('openApiV3(): the paths above group versions have documents', (t) => {
	t.is(
		at(parse(openApiV3('apis/flowcontrol.apiserver.k8s.io')?.bytes), 'paths', '/apis/flowcontrol.apiserver.k8s.io/', 'get', 'operationId'),
		'getFlowcontrolApiserverAPIGroup',
	);
	t.deepEqual(Object.keys(at(parse(openApiV3('openid/v1/jwks')?.bytes), 'components') as Json), ['securitySchemes']);
});

test('openApiV2(): parameters are shared by name, but for those that old clients look for', (t) => {
	const document = parse(openApiV2('json').bytes);
	const configMap = at(document, 'paths', '/api/v1/namespaces/{namespace}/configmaps/{name}') as Item;
	t.deepEqual(named(configMap.parameters), ['path name', '#/parameters/namespace-vgWSWtn3', '#/parameters/pretty-tJGM1-ng']);
	t.deepEqual(named(configMap['delete']?.parameters).slice(0, 2), ['#/parameters/body-2Y1dVQaQ', 'query dryRun']);
	t.is(at(document, 'parameters', 'namespace-vgWSWtn3', 'in'), 'path');
});

test('schemas: defaults, required fields and enums in either version', (t) => {
	t.deepEqual(at(core, 'components', 'schemas', 'io.k8s.apimachinery.pkg.api.resource.Quantity', 'oneOf'), [
		{ type: 'string' },
		{ type: 'number' },
	]);
	t.is(at(core, 'components', 'schemas', 'io.k8s.api.core.v1.LocalObjectReference', 'properties', 'name', 'default'), '');
	const v2 = parse(openApiV2('json').bytes);
	t.deepEqual(at(v2, 'definitions', 'io.k8s.api.apps.v1.DeploymentStrategy', 'properties', 'type', 'enum'), ['Recreate', 'RollingUpdate']);
	t.deepEqual(at(v2, 'definitions', 'io.k8s.api.core.v1.Taint', 'required'), ['key', 'effect']);
});

const schema: Schema = {
	type: 'object',
	properties: {
		spec: {
			type: 'object',
			required: ['maybe', 'always'],
			properties: {
				maybe: { type: 'integer', format: 'int32', nullable: true },
				always: { type: 'string', default: 'a', oneOf: [{ pattern: 'a' }] },
				either: { 'x-kubernetes-int-or-string': true },
				free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { x: { type: 'string' } } },
				pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
			},
		},
	},
};
const row = {
	group: 'a.b.io',
	version: 'v1',
	kind: 'Foo',
	plural: 'foos',
	singular: 'foo',
	namespaced: true,
	shortNames: [],
	categories: [],
	subresources: ['scale'],
	verbs: ['get', 'list', 'create', 'watch', 'patch'],
	rows: [{ name: 'scale', kind: 'Scale', kindGroup: 'autoscaling', kindVersion: 'v1', verbs: ['get'] }],
};
const custom = (flavour: 'v2' | 'v3'): { paths: Json; schemas: Json } =>
	customParts('a.b.io', 'v1', [{ row, listKind: 'Foos', schema }], flavour, () => undefined);

test('customParts(): version 3 says all of a schema, and the fields that every resource has', (t) => {
	const { schemas, paths } = custom('v3');
	const spec = at(schemas, 'io.b.a.v1.Foo', 'properties', 'spec');
	t.deepEqual(at(spec, 'properties', 'maybe'), { type: 'integer', format: 'int32', nullable: true });
	t.deepEqual(at(spec, 'properties', 'either', 'anyOf'), [{ type: 'integer' }, { type: 'string' }]);
	t.deepEqual(at(spec, 'properties', 'pod', 'required'), ['kind', 'apiVersion']);
	const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
	t.is(
		at(schemas, 'io.b.a.v1.Foos', 'properties', 'metadata', 'description'),
		`Standard list metadata. More info: ${conventions}#types-kinds`,
	);
	t.regex(String(at(spec, 'properties', 'pod', 'properties', 'kind', 'description')), /^kind is a string .*#types-kinds$/);
	t.deepEqual(at(schemas, 'io.b.a.v1.Foo', 'properties', 'metadata'), {
		description: `Standard object's metadata. More info: ${conventions}#metadata`,
		allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
	});
	t.deepEqual(at(schemas, 'io.b.a.v1.Foos', 'properties', 'items', 'items'), { $ref: '#/components/schemas/io.b.a.v1.Foo' });
	t.deepEqual(Object.keys(paths), [
		'/apis/a.b.io/v1/foos',
		'/apis/a.b.io/v1/namespaces/{namespace}/foos',
		'/apis/a.b.io/v1/namespaces/{namespace}/foos/{name}',
		'/apis/a.b.io/v1/namespaces/{namespace}/foos/{name}/scale',
	]);
});

const KEEPS = { 'x-kubernetes-preserve-unknown-fields': true };
const NULLABLE_TEXT = { type: 'string', nullable: true };
for (const [what, given, want] of [
	[
		'what may be null keeps what it requires, and what it says of its values',
		{ type: 'object', nullable: true, required: ['a'], additionalProperties: { type: 'string' } },
		{ required: ['a'], additionalProperties: { type: 'string' } },
	],
	[
		'what keeps unknown fields keeps what it requires, be it null',
		{ ...KEEPS, type: 'object', required: ['a'], properties: { a: NULLABLE_TEXT } },
		{ ...KEEPS, required: ['a'] },
	],
	['a text that keeps unknown fields is one', { ...KEEPS, type: 'string' }, { ...KEEPS, type: 'string' }],
	['a list of anything has no type', { ...KEEPS, type: 'array' }, KEEPS],
	[
		'nothing is required of values that may be null',
		{ type: 'object', required: ['a'], additionalProperties: NULLABLE_TEXT },
		{ type: 'object', additionalProperties: {} },
	],
] as const)
	test(`customParts(): in version 2 ${what}`, (t) => {
		const wrapped = { type: 'object', properties: { v: given } } as unknown as typeof schema;
		const { schemas } = customParts('a.b.io', 'v1', [{ row, listKind: 'Foos', schema: wrapped }], 'v2', () => undefined);
		t.deepEqual(at(schemas, 'io.b.a.v1.Foo', 'properties', 'v'), want);
	});

test('customParts(): of a definition that keeps unknown fields version 2 says nothing', (t) => {
	const said = (flavour: 'v2' | 'v3'): unknown => {
		const { schemas } = customParts('a.b.io', 'v1', [{ row, listKind: 'Foos', schema, keepsUnknown: true }], flavour, () => undefined);
		return Object.hasOwn(at(schemas, 'io.b.a.v1.Foo') as object, 'properties');
	};
	t.deepEqual([said('v2'), said('v3')], [false, true]);
});

test('customParts(): a resource within another requires its kind and version after what it requires anyway', (t) => {
	const pod = {
		type: 'object',
		'x-kubernetes-embedded-resource': true,
		required: ['spec', 'kind'],
		properties: { spec: { type: 'object' } },
	};
	const wrapped = { type: 'object', properties: { pod, maybe: { ...pod, nullable: true } } } as unknown as typeof schema;
	const required = (flavour: 'v2' | 'v3', name: string): unknown => {
		const { schemas } = customParts('a.b.io', 'v1', [{ row, listKind: 'Foos', schema: wrapped }], flavour, () => undefined);
		return at(schemas, 'io.b.a.v1.Foo', 'properties', name, 'required');
	};
	t.deepEqual(required('v3', 'pod'), ['spec', 'kind', 'apiVersion']);
	t.deepEqual(required('v2', 'maybe'), ['spec', 'kind', 'apiVersion']);
});

test('customParts(): version 2 leaves out what it cannot say', (t) => {
	const { schemas } = custom('v2');
	t.deepEqual(at(schemas, 'io.b.a.v1.Foo', 'properties', 'spec'), {
		type: 'object',
		required: ['always'],
		properties: {
			maybe: { format: 'int32' },
			always: { type: 'string' },
			either: { 'x-kubernetes-int-or-string': true },
			free: { 'x-kubernetes-preserve-unknown-fields': true },
			pod: at(schemas, 'io.b.a.v1.Foo', 'properties', 'spec', 'properties', 'pod'),
		},
	});
});

test('openApiV2With(): more paths and definitions beside the built-in ones, which win', (t) => {
	const more = {
		paths: { '/apis/x/': { get: { responses: {} } } },
		schemas: { 'io.x.Y': { type: 'object' }, 'io.k8s.api.core.v1.Pod': {} },
	};
	const whole = parse(openApiV2With('json', () => () => undefined, more).bytes);
	t.deepEqual(at(whole, 'paths', '/apis/x/'), { get: { responses: {} } });
	t.deepEqual(at(whole, 'definitions', 'io.x.Y'), { type: 'object' });
	t.is(at(whole, 'definitions', 'io.k8s.api.core.v1.Pod', 'type'), 'object');
	t.is(Buffer.from(openApiV2With('protobuf', () => () => undefined, more).bytes.subarray(0, 5)).toString('latin1'), '\n\u00032.0');
});
