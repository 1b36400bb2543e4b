import test from 'ava';
import type { Resource } from '../../../api/resource.ts';
import type { StatusError } from '../../../api/status.ts';
import type { Json, Schema } from '../../../api/structural/schema.ts';
import { decodeCustom, decodeCustomBody } from './decode.ts';

const THINGS: Resource = { group: 'c.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false, subresources: [] };
const inner: Schema = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
const schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { a: inner, b: inner } } } };

test('unknown fields are told of in the order in which upstream meets them: metadata, the schema, resources inside', (t) => {
	const told: string[] = [];
	const resource = { apiVersion: 'v1', kind: 'Pod', metadata: { zork: 1 } };
	const value = {
		...{ apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a', zork: 1 } },
		...{ spec: { z: 1, b: resource, a: structuredClone(resource), y: 1 } },
	};
	decodeCustom(value as unknown as Json, THINGS, schema, { strictness: 'Warn', warn: (text) => void told.push(text) });
	t.deepEqual(
		told.map((text) => /^unknown field "(.*)"$/.exec(text)?.[1]),
		['metadata.zork', 'spec.y', 'spec.z', 'spec.a.metadata.zork', 'spec.b.metadata.zork'],
	);
});

for (const [apiVersion, kind, want] of [
	['c.io/v2', 'Thing', ['metadata.zork', 'spec']],
	['c.io/v1beta1', 'Thing', ['metadata.zork', 'spec.z']],
	['c.io/v2', 'Other', ['metadata.zork']],
	['d.io/v1', 'Thing', ['metadata.zork']],
	['v1', 'Thing', ['metadata.zork']],
] as const)
	test(`unknown fields of ${kind} in ${apiVersion} are told of before its version is refused`, (t) => {
		const value = { apiVersion, kind, metadata: { name: 'a', zork: 1 }, spec: { z: 1 } };
		const read = (strictness: 'Warn' | 'Strict', warn: (text: string) => void): string =>
			t.throws(() =>
				decodeCustom(structuredClone(value) as unknown as Json, THINGS, schema, { strictness, warn }, (other) =>
					other === 'c.io/v1beta1' ? schema : undefined,
				),
			).message;
		const told: string[] = [];
		const fields = want.map((field) => `unknown field "${field}"`);
		t.is(
			read('Warn', (text) => void told.push(text)),
			`the API version in the data (${apiVersion}) does not match the expected API version (c.io/v1)`,
		);
		t.deepEqual(told, fields);
		const version = apiVersion.split('/').at(-1);
		t.is(
			read('Strict', () => {}),
			`${kind} in version "${version}" cannot be handled as a Thing: strict decoding error: ${fields.join(', ')}`,
		);
	});

test('nulls where none may be are dropped, but for those of an apply, which are validated', (t) => {
	const nulls: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { n: { type: 'string' } } } } };
	const read = (isApplied: boolean): unknown => {
		const value = { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { n: null } };
		return (decodeCustom(value, THINGS, nulls, { strictness: 'Ignore', warn: () => {}, isApplied }) as unknown as Json)['spec'];
	};
	t.deepEqual(read(false), {});
	t.deepEqual(read(true), { n: null });
});

test('a number that no double holds is refused', (t) => {
	const body = Buffer.from('{"apiVersion":"c.io/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":{"b":1e400}}}');
	t.is(
		t.throws(() => decodeCustomBody(body, 'application/json', THINGS, schema, { strictness: 'Ignore', warn: () => {} })).message,
		'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number 1e400 into Go value of type float64',
	);
});

for (const [metadata, shown, kind] of [
	['x', '"x"', 'string'],
	[true, 'true', 'bool'],
	[[], '[]', 'array'],
] as const)
	test(`metadata of a resource inside that is no object (${shown}) is told of by its place`, (t) => {
		const value = { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { a: { metadata } } };
		t.is(
			t.throws(() => decodeCustom(value as unknown as Json, THINGS, schema, { strictness: 'Ignore', warn: () => {} })).message,
			`Thing in version "v1" cannot be handled as a Thing: spec.a.metadata: Invalid value: ${shown}: json: cannot unmarshal ${kind} into Go value of type v1.ObjectMeta`,
		);
	});

test('a resource in a map is named by its key', (t) => {
	const told: string[] = [];
	const value = { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { k: { metadata: { zork: 1 } } } };
	const map: Schema = { type: 'object', properties: { spec: { type: 'object', additionalProperties: inner } } };
	decodeCustom(value as unknown as Json, THINGS, map, { strictness: 'Warn', warn: (text) => void told.push(text) });
	t.deepEqual(told, ['unknown field "spec[k].metadata.zork"']);
});

test('metadata of a resource inside that is null is empty', (t) => {
	const value = { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { a: { metadata: null } } };
	const read = decodeCustom(value as unknown as Json, THINGS, schema, { strictness: 'Ignore', warn: () => {} }) as unknown as Json;
	t.like(read['spec'], { a: { metadata: {} } });
});

for (const [change, code, want] of [
	[
		{ kind: 3 },
		400,
		"couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
	],
	[
		{ apiVersion: {} },
		...[400, "couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field .apiVersion of type string"],
	],
	[{ apiVersion: 'a/b/c' }, 400, 'unexpected GroupVersion string: a/b/c'],
	[{ kind: null }, 400, `Object 'Kind' is missing in '{"apiVersion":"c.io/v1","kind":null,"metadata":{"name":"a","uid":"u"}}'`],
	[
		{ kind: '', a: '<' },
		400,
		String.raw`Object 'Kind' is missing in '{"a":"\u003c","apiVersion":"c.io/v1","kind":"","metadata":{"name":"a","uid":"u"}}'`,
	],
	[{ apiVersion: '' }, 500, "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'"],
] as const)
	test(`what a patch makes of the type: ${JSON.stringify(change)}`, (t) => {
		const value = { metadata: { uid: 'u', name: 'a' }, kind: 'Thing', apiVersion: 'c.io/v1', ...change };
		const patch = { strict: [], unstructured: false };
		const error = t.throws(() =>
			decodeCustom(value as unknown as Json, THINGS, schema, { strictness: 'Warn', warn: () => {}, patch }),
		) as StatusError;
		t.is(error.message, want);
		t.is(error.httpCode, code);
	});
