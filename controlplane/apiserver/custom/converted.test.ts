import { inspect } from 'node:util';
import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { checkConverted } from './converted.ts';

const metadata = { name: 'a', namespace: 'n', uid: 'u', labels: { was: 'so' }, generation: 3 };
const was: KubeObject = { apiVersion: 'x.io/v1', kind: 'Thing', metadata };
const now = (more: object): unknown => ({ apiVersion: 'x.io/v2', kind: 'Thing', metadata, ...more });

for (const [rule, given, alone, among] of [
	[
		'another version',
		now({ apiVersion: 'x.io/v3' }),
		'returned invalid object at index 0: invalid groupVersion (expected x.io/v2, received x.io/v3)',
		'returned invalid converted object at index 0: invalid groupVersion (expected x.io/v2, received x.io/v3)',
	],
	[
		'another kind',
		now({ kind: 'Other' }),
		'returned invalid object at index 0: invalid kind (expected Thing, received Other)',
		'returned invalid converted object at index 0: invalid kind (expected Thing, received Other)',
	],
	[
		'another name',
		now({ metadata: { ...metadata, name: 'b' } }),
		'returned invalid object: must have the same name: a != b',
		'returned invalid converted object at index 0: must have the same name: a != b',
	],
	[
		'no metadata',
		{ apiVersion: 'x.io/v2', kind: 'Thing' },
		'returned invalid object: must have the same name: a != ',
		'returned invalid converted object at index 0: must have the same name: a != ',
	],
	[
		'labels in a list',
		now({ metadata: { ...metadata, labels: ['x'] } }),
		'returned invalid metadata: invalid metadata.labels of type []interface {} in converted object',
		'returned invalid metadata in object at index 0: invalid metadata.labels of type []interface {} in converted object',
	],
	[
		'a label that is no text',
		now({ metadata: { ...metadata, labels: { a: 1 } } }),
		'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
		'returned invalid metadata in object at index 0: metadata.labels[a] must be a string, but is int64 in converted object',
	],
] as const)
	test(`a conversion webhook that gives back ${rule}`, (t) => {
		t.deepEqual(checkConverted([given], [was], 'x.io/v2'), { fault: alone });
		t.deepEqual(checkConverted([given, now({})], [was, was], 'x.io/v2'), { fault: among });
	});

for (const [given, fault] of [
	[null, 'unexpected end of JSON input'],
	['x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
	[{ apiVersion: 'x.io/v2', n: 1 }, `Object 'Kind' is missing in '{"apiVersion":"x.io/v2","n":1}'`],
	[[], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
] as const)
	test(`a conversion webhook that gives back ${inspect(given)}`, (t) => {
		t.deepEqual(checkConverted([given], [was], 'x.io/v2'), { fault, isWhole: true });
		const among = { fault: `returned invalid converted object at index 0: ${fault}` };
		t.deepEqual(checkConverted([given, now({})], [was, was], 'x.io/v2'), among);
	});

test('a conversion webhook: labels that none can have are refused, unless they were there', (t) => {
	const labels = { '-': 'x' };
	const fault = checkConverted([now({ metadata: { ...metadata, labels } })], [was], 'x.io/v2') as { readonly fault: string };
	t.regex(fault.fault, /^returned invalid metadata: metadata\.labels: Invalid value: "-": name part must consist of/);
	const old = { ...was, metadata: { ...metadata, labels } };
	t.true('objects' in checkConverted([now({ metadata: { ...metadata, labels } })], [old], 'x.io/v2'));
});

test('a conversion webhook may change labels, annotations and what is no metadata', (t) => {
	const given = now({
		spec: { a: 1 },
		metadata: { ...metadata, labels: { is: 'other' }, annotations: { b: 'c' }, generation: 9, finalizers: ['x'] },
	});
	t.deepEqual(checkConverted([given], [was], 'x.io/v2'), {
		objects: [
			{
				...{ apiVersion: 'x.io/v2', kind: 'Thing', spec: { a: 1 } },
				metadata: { name: 'a', namespace: 'n', uid: 'u', generation: 3, labels: { is: 'other' }, annotations: { b: 'c' } },
			} as unknown as KubeObject,
		],
	});
});
