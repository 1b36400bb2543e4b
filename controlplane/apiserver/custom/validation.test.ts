/** What is said of custom resources beside their schema, as tables: each row is upstream's words. */
import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import type { Schema } from '../../../api/structural/schema.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { scaleErrors } from './scale-errors.ts';
import { createErrors, updateErrors } from './validation.ts';

const SCALE = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.s' };

for (const [object, statusOnly, want] of [
	[{ spec: { n: 1 }, status: { n: 2, s: 'a=b' } }, false, []],
	[{ spec: { n: -1 } }, false, ['.spec.n: Invalid value: -1: should be a non-negative integer']],
	[{ spec: { n: -1 } }, true, []],
	[{ spec: 5 }, false, ['.spec.n: Invalid value: 0: .spec.n accessor error: 5 is of the type int64, expected map[string]interface{}']],
	[{ status: { n: 2 ** 31 } }, true, ['.status.n: Invalid value: 2147483648: should be less than or equal to 2147483647']],
	[{ status: { n: 2n ** 53n } }, true, ['.status.n: Invalid value: 9007199254740992: should be less than or equal to 2147483647']],
	[
		{ status: { s: { a: 'b' } } },
		true,
		['.status.s: Invalid value: "": .status.s accessor error: map[a:b] is of the type map[string]interface {}, expected string'],
	],
] as const)
	test(`scaleErrors(): ${statusOnly ? 'status of ' : ''}${JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`, (t) => {
		t.deepEqual(
			scaleErrors(object, SCALE, statusOnly).map(({ field, message }) => `${field}: ${message}`),
			want,
		);
	});

test('finalizerWarnings(): new ones without a domain and a path', (t) => {
	const object = (...finalizers: string[]): KubeObject => ({ metadata: { finalizers } });
	t.deepEqual(finalizerWarnings(object('orphan', 'foregroundDeletion', 'x.io/a', 'old'), object('old')), []);
	t.deepEqual(finalizerWarnings(object('x.io', 'hold')), [
		'metadata.finalizers: "hold": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
		'metadata.finalizers: "x.io": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
	]);
});

test('updateErrors(): a finalizer may have any name, as on create: that it is qualified is asked of built-in objects only', (t) => {
	const resource = { group: 'c.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false, subresources: [] };
	const thing = (...finalizers: string[]): KubeObject =>
		({ apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'x', uid: 'u', resourceVersion: '1', finalizers } }) as KubeObject;
	const rules = { resource, schema: { type: 'object' } as Schema, scale: undefined };
	for (const subresource of ['', 'status'])
		t.deepEqual(
			updateErrors(rules, thing('hold'), thing(), subresource, () => {}),
			[],
		);
	t.deepEqual(
		createErrors(rules, thing('hold'), () => {}),
		[],
	);
});

const RESOURCE = { group: 'c.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false, subresources: [] };
const thingOf = (metadata: object, more: object): KubeObject =>
	({ apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'x', uid: 'u', resourceVersion: '1', ...metadata }, ...more }) as KubeObject;

test('updateErrors(): a status is not refused for resources elsewhere in the object', (t) => {
	const inside = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
	const schema = { type: 'object', properties: { inside, status: { type: 'object' } } } as Schema;
	const thing = thingOf({}, { inside: { apiVersion: 'v1' }, status: {} });
	const errors = (subresource: string): readonly string[] =>
		updateErrors({ resource: RESOURCE, schema, scale: undefined }, thing, thing, subresource, () => {}).map(({ field }) => field);
	t.deepEqual(errors(''), ['inside.kind']);
	t.deepEqual(errors('status'), []);
});

test('createErrors(), updateErrors(): rules are not run where metadata is wrong in a way that they may rest on', (t) => {
	const schema = { type: 'object', 'x-kubernetes-validations': [{ rule: 'false' }] } as Schema;
	const rules = { resource: RESOURCE, schema, scale: undefined };
	const thing = thingOf({ annotations: { a: 'x'.repeat(300_000) } }, {});
	const SKIPPED =
		'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
	const messages = (errors: readonly { readonly message: string }[]): readonly string[] => errors.map(({ message }) => message);
	t.deepEqual(messages(createErrors(rules, thing, () => {})), ['Too long: may not be more than 262144 bytes', SKIPPED]);
	const updated = messages(updateErrors(rules, thing, thing, '', () => {}));
	t.true(updated.includes(SKIPPED));
	t.false(updated.some((message) => message.includes('failed rule')));
});

test('updateErrors(): lists that were wrong already are let be, also where they change', (t) => {
	const list = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' };
	const schema = { type: 'object', properties: { a: list, b: list } } as Schema;
	const resource = { group: 'c.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
	const thing = (a: readonly number[], b: readonly number[]): KubeObject =>
		({ apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'x', uid: 'u', resourceVersion: '1' }, a, b }) as KubeObject;
	const errors = (old: KubeObject, now: KubeObject): number =>
		updateErrors({ resource: { ...resource, subresources: [] }, schema, scale: undefined }, now, old, '', () => {}).length;
	t.is(errors(thing([1], [1]), thing([1, 1], [1])), 1);
	t.is(errors(thing([1, 1], [1]), thing([1, 1], [2, 2])), 0);
});
