/** Defaults of schemas as tables: each row is what upstream's validation says of one. */
import { inspect } from 'node:util';
import test from 'ava';
import { coerceDefaults, defaultErrors } from './default-rules.ts';
import type { Schema } from './schema.ts';

const said = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(({ field, message }) => `${field}: ${message}`);

const TEXT: Schema = { type: 'string' };
const ANY: Schema = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
const root = (a: Schema): Schema => ({ type: 'object', properties: { a } });

const ofLabel = '{"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
for (const [metadata, wrong] of [
	[{ labels: { a: 1 } }, ofLabel],
	[{ name: 5 }, '{"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'],
	[
		{ ownerReferences: {} },
		'{"ownerReferences":{}}: json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference',
	],
	[{ labels: 'x' }, '{"labels":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string'],
	[{ finalizers: 'x' }, '{"finalizers":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string'],
	[{ creationTimestamp: 'x' }, '{"creationTimestamp":"x"}: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
	['foo', '"foo": json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
	[[], '[]: json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
	[1.5, '1.5: json: cannot unmarshal number into Go value of type v1.ObjectMeta'],
	[true, 'true: json: cannot unmarshal bool into Go value of type v1.ObjectMeta'],
	[null, undefined],
	[{ name: '' }, undefined],
] as const)
	test(`defaultErrors(): metadata of a resource by default: ${inspect(metadata)}`, (t) => {
		const value = { apiVersion: 'v1', kind: 'Pod', metadata };
		const want = (at: string): readonly string[] => (wrong === undefined ? [] : [`${at}.metadata: Invalid value: ${wrong}`]);
		t.deepEqual(said(defaultErrors(root({ ...ANY, default: value }), 's')), want('s.properties[a].default'));
		const list = root({ type: 'array', items: ANY, default: [value] });
		t.deepEqual(said(defaultErrors(list, 's')), want('s.properties[a].default[0]'));
		t.deepEqual(said(defaultErrors({ ...root(TEXT), default: value }, 's')), want('s.default'));
	});

for (const [what, metadata, at, wrong] of [
	[
		'a name',
		{ properties: { name: { ...TEXT, default: 5 } } },
		'.properties[name]',
		'5: must result in valid metadata: metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
	],
	[
		'labels',
		{ properties: { labels: { type: 'object', additionalProperties: TEXT, default: { a: 1 } } } },
		'.properties[labels]',
		`{"a":1}: must result in valid metadata: metadata: Invalid value: ${ofLabel}`,
	],
	[
		'an item of a list',
		{ properties: { finalizers: { type: 'array', items: { ...TEXT, default: 5 } } } },
		'.properties[finalizers].items',
		'5: must result in valid metadata: metadata: Invalid value: {"finalizers":[5]}: json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string',
	],
	[
		'all of it',
		{ default: 'x' },
		'',
		'"x": must result in valid metadata: metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
	],
] as const)
	test(`defaultErrors(): inside of metadata: ${what}`, (t) => {
		const resource = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata: { type: 'object', ...metadata } } };
		const place = `s.properties[a].properties[metadata]${at}.default`;
		t.deepEqual(said(defaultErrors(root(resource as Schema), 's')), [`${place}: Invalid value: ${wrong}`]);
	});

for (const [value, want] of [
	[{ apiVersion: 'v1', kind: 'A' }, []],
	[{ apiVersion: 'v1', kind: 'A', a: 5 }, ['s.default.a: Invalid value: "integer": a in body must be of type string: "integer"']],
	[
		{ apiVersion: 'v1', kind: 'A', b: 5, metadata: { name: 'x', foo: 'y' } },
		['s.default: Invalid value: {"apiVersion":"v1","b":5,"kind":"A","metadata":{"name":"x"}}: must not have unknown fields'],
	],
	[{ apiVersion: 5, kind: 'A' }, ['s.default.apiVersion: Invalid value: 5: must be a string']],
	[{ kind: 5 }, ['s.default.kind: Invalid value: 5: must be a string']],
] as const)
	test(`defaultErrors(): the whole object by default: ${inspect(value)}`, (t) =>
		t.deepEqual(said(defaultErrors({ ...root(TEXT), default: value }, 's')), [...want]));

for (const [schema, wrong] of [
	[{ 'x-kubernetes-int-or-string': true, default: true }, []],
	[{ type: 'object', properties: { b: { 'x-kubernetes-int-or-string': true } }, default: { b: true } }, []],
	[{ 'x-kubernetes-int-or-string': true, type: 'string', default: 1 }, ['"integer":  in body must be of type string: "integer"']],
	[{ type: 'boolean', format: 'foo', default: 'abc' }, []],
	[{ type: 'boolean', format: 'foo', default: 5 }, ['"int64":  in body must be of type foo: "int64"']],
	[{ type: 'string', format: 'foo', default: ['x'] }, []],
	[{ type: 'string', format: 'foo', default: {} }, ['"":  in body must be of type foo: ""']],
	[{ type: 'string', format: 'int32', default: 5 }, ['"int64":  in body must be of type int32: "int64"']],
	[{ type: 'integer', format: 'foo', default: 'abc' }, ['"string":  in body must be of type integer: "string"']],
	[{ type: 'integer', format: 'foo', default: 1 }, []],
] as readonly (readonly [Schema, readonly string[]])[])
	test(`defaultErrors(): formats are taken as they are, and an integer or a text has no type: ${inspect(schema)}`, (t) =>
		t.deepEqual(
			said(defaultErrors(root(schema), 's')),
			wrong.map((text) => `s.properties[a].default: Invalid value: ${text}`),
		));

test('defaultErrors(): all defaults share one budget, and what follows its end is not looked at', (t) => {
	const one = { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 0 && self > 0 && self > 0' }] };
	const schema = { type: 'object', properties: { a: one, b: one, c: one, d: { type: 'integer', default: 'x' } } } as Schema;
	const OVER = 'validation failed due to running out of cost budget, no further validation rules will be run';
	const within = { left: 1_000 };
	t.deepEqual(said(defaultErrors(schema, 's', false, within)).length, 1);
	const cost = (1_000 - within.left) / 3;
	t.true(cost > 0);
	t.deepEqual(said(defaultErrors(schema, 's', false, { left: cost * 1.5 })), [
		`s.properties[b].default: Invalid value: "integer": ${OVER}`,
	]);
});

test('coerceDefaults(): metadata of resources keeps what every kind has, where they are not metadata themselves', (t) => {
	const value = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', foo: 1, labels: {} }, spec: { foo: 1 } };
	const kept = { ...value, metadata: { name: 'x' } };
	const map: Schema = { type: 'object', additionalProperties: ANY, default: { k: value } };
	const schema = { ...root({ type: 'array', items: { ...ANY, default: value } }), default: { a: [value], metadata: { foo: 1 } } };
	coerceDefaults(schema);
	t.deepEqual(schema.properties?.['a']?.items?.default, kept);
	t.deepEqual(schema.default, { a: [kept], metadata: {} });
	const inMap = root(map);
	coerceDefaults(inMap);
	t.deepEqual(inMap.properties?.['a']?.default, { k: kept });
	const metadata: Schema = { type: 'object', default: { foo: 1 } };
	const inside = root({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata } });
	coerceDefaults(inside);
	t.deepEqual(inside.properties?.['a']?.properties?.['metadata']?.default, { foo: 1 });
});

test('coerceDefaults(): what does not fit stays, to be told of', (t) => {
	const value = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 5, foo: 1 } };
	const schema = root({ ...ANY, default: value });
	coerceDefaults(schema);
	t.deepEqual(schema.properties?.['a']?.default, value);
});
