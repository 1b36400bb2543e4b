/** Definitions that older servers could store: what was wrong before stays on updates (apiextensions validationOptions). */
import test from 'ava';
import { names, root } from '../../../test/fakes/told-of-definition.ts';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const metadata = { name: 'as.x.io', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const STATUS = { storedVersions: ['v1'], acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] };

const definition = (versions: readonly object[], spec: object = {}): KubeObject =>
	({
		metadata,
		spec: { group: 'x.io', scope: 'Cluster', names, versions, conversion: { strategy: 'None' }, ...spec },
		status: STATUS,
	}) as unknown as KubeObject;
const version = (schema?: object, more: object = {}): object => ({
	...{ name: 'v1', served: true, storage: true },
	...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
	...more,
});
const of = (schema?: object, spec: object = {}): KubeObject => definition([version(schema)], spec);
const told = (after: KubeObject, before: KubeObject): string[] =>
	validateUpdate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', after, before, false).map(({ field, message }) =>
		`${field}: ${message}`.replace('spec.validation.openAPIV3Schema', '$'),
	);

const preserved = { preserveUnknownFields: true };
const text = { type: 'string' };
const item = { type: 'object', properties: { k: text } };
const loose = root({ a: { description: 'no type' } });
const set = (items: object, more: object = {}): object => root({ a: { type: 'array', 'x-kubernetes-list-type': 'set', items }, ...more });
const map = (more: object = {}): object =>
	root({ a: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: item }, ...more });
const defaulted = (more: object = {}): object => root({ a: { ...item, default: { x: 1 } }, ...more });
const webhook = (...conversionReviewVersions: string[]): object => ({
	conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://h' }, conversionReviewVersions } },
});
const long = { type: 'array', maxItems: 2000, items: { type: 'string', maxLength: 1 } };
const rules = (rule: string): object => ({ 'x-kubernetes-validations': [{ rule }] });
const costly = (more: object = {}): object => root({ a: { ...long, ...rules('self.all(x, self.all(y, x == y))') }, ...more });
const fields = (count: number): object => root(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, text])));
const selected = (count: number): object => ({
	selectableFields: Array.from({ length: count }, (_, i) => ({ jsonPath: `.f${i}` })),
});
const many = (count: number, more: object = {}): KubeObject => definition([version(fields(10), { ...selected(count), ...more })]);
const SCHEMA = 'spec.versions[0].schema.openAPIV3Schema';
const b = { b: text };

for (const [what, before, after, want] of [
	['no schema stays where unknown fields do', of(undefined, preserved), of(undefined, preserved), []],
	['not where they are dropped', of(undefined, preserved), of(), [`${SCHEMA}: Required value: because otherwise all fields are pruned`]],
	['but where nobody is served', of(undefined, preserved), definition([version(undefined, { served: false })]), []],
	['nor does one go', of(root({}), preserved), of(undefined, preserved), [`${SCHEMA}: Required value`]],
	[
		'fields come to be kept no more',
		of(root({})),
		of(root({}), preserved),
		[
			'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
		],
	],
	[
		'defaults need them to be dropped',
		of(root({}), preserved),
		of(root({ a: { type: 'string', default: 'x' } }), preserved),
		['spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema'],
	],
	['a schema without types stays', of(loose, preserved), of(root({ a: {}, b: {} }), preserved), []],
	[
		'and does not come to be',
		of(root({}), preserved),
		of(loose, preserved),
		['$.properties[a].type: Required value: must not be empty for specified object fields'],
	],
	[
		'not where fields are dropped',
		of(loose, preserved),
		of(loose),
		['$.properties[a].type: Required value: must not be empty for specified object fields'],
	],
	[
		'nor with markers of ours',
		of(loose, preserved),
		of(root({ a: {}, b: { 'x-kubernetes-int-or-string': true } }), preserved),
		['$.properties[a].type: Required value: must not be empty for specified object fields'],
	],
	[
		'what no schema can say does not stay',
		of(root({ a: { $ref: '#' } }), preserved),
		of(root({ a: { $ref: '#' } }), preserved),
		['$.properties[a].$ref: Forbidden: $ref is not supported'],
	],
	['a type that is none stays', of(root({ a: { type: 'x' } })), of(root({ a: { type: 'y' } })), []],
	[
		'nor does it come to be',
		of(root({})),
		of(root({ a: { type: 'y' } })),
		['$.properties[a].type: Unsupported value: "y": supported values: "array", "boolean", "integer", "number", "object", "string"'],
	],
	['a set of what is no unit stays', of(set(item)), of(set(item, b)), []],
	[
		'and excuses no keys',
		of(set(item)),
		of(map()),
		[
			'$.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
		],
	],
	['a key that may be missing stays', of(map()), of(map(b)), []],
	[
		'and excuses no sets',
		of(map()),
		of(set(item)),
		['$.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set'],
	],
	['fields of defaults that nobody knows stay', of(defaulted()), of(defaulted(b)), []],
	[
		'and do not come to be',
		of(root(b)),
		of(defaulted()),
		['$.properties[a].default: Invalid value: {"x":1}: must not have unknown fields'],
	],
	['versions of reviews that nobody knows stay', of(root({}), webhook('v3')), of(root({}), webhook('v4')), []],
	[
		'none excuse nothing',
		of(root({}), webhook()),
		of(root({}), webhook('v4')),
		['spec.conversion.conversionReviewVersions: Invalid value: ["v4"]: must include at least one of v1, v1beta1'],
	],
	['an expression that costs too much stays', of(costly()), of(costly(), { names: { ...names, shortNames: ['s'] } }), []],
	['more than eight fields stay', many(9), many(9, { deprecated: true }), []],
	['as they are', many(9), many(10), ['spec.selectableFields: Too many: 10: must have at most 8 items']],
] as const)
	test(`definitions: ${what}`, (t) => t.deepEqual(told(after, before), [...want]));

test('definitions: an expression that costs too much is limited again where its schema changes', (t) =>
	t.true(told(of(costly(b)), of(costly())).some((line) => line.includes('estimated rule cost exceeds budget'))));

test('definitions: more than eight fields of one version stay', (t) => {
	const two = (first: number, deprecated = false): KubeObject =>
		definition([
			version(fields(10), { ...selected(first), deprecated }),
			version(fields(11), { name: 'v2', storage: false, ...selected(1) }),
		]);
	t.deepEqual(told(two(9, true), two(9)), []);
	t.deepEqual(told(two(9), two(8)), ['spec.versions[0].selectableFields: Too many: 9: must have at most 8 items']);
	t.deepEqual(told(two(9), many(9)), ['spec.versions[0].selectableFields: Too many: 9: must have at most 8 items']);
});
