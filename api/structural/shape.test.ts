/** Schemas as server-side apply and field ownership see them: rows are what upstream's typed objects take (kube-openapi schemaconv). */
import test from 'ava';
import { check } from '../apply/check.ts';
import { merge } from '../apply/merge.ts';
import { trackUpdate } from '../apply/update.ts';
import type { KubeObject } from '../resource.ts';
import type { Schema } from './schema.ts';
import { resourceShape } from './shape.ts';

const shapeOf = (spec: Schema) => resourceShape({ type: 'object', properties: { spec } });
const RESET = { filter: (set: unknown) => set } as never;
const KEEPS = { 'x-kubernetes-preserve-unknown-fields': true };

for (const [what, spec, value, want] of [
	['an undeclared field', { type: 'object', properties: { a: { type: 'string' } } }, { b: 1 }, '.spec.b: field not declared in schema'],
	[
		'an undeclared field inside of what keeps unknown ones around it',
		{ ...KEEPS, type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
		{ a: { z: 1 } },
		undefined,
	],
	['any field of an object that declares none', { type: 'object' }, { a: { b: [1] } }, undefined],
	['an object for a number or a text', { 'x-kubernetes-int-or-string': true }, { a: 1 }, undefined],
	['an object for a text of a format', { type: 'string', format: 'uuid' }, {}, '.spec: expected any scalar, got &{map[]}'],
	['a number for a text of a format', { type: 'string', format: 'uuid' }, 5, undefined],
	['a number for bytes', { type: 'string', format: 'byte' }, 5, '.spec: expected string, got &value.valueUnstructured{Value:5}'],
] as readonly (readonly [string, Schema, unknown, string | undefined])[])
	test(`check(): ${what}`, (t) => t.is(check(shapeOf(spec).shape, { spec: value }, false), want));

test('merge(): null over what nothing declares leaves a map as it is, and replaces all else', (t) => {
	const { shape } = shapeOf({ ...KEEPS, type: 'object' });
	const merged = (live: unknown): unknown => merge(shape, { spec: { a: live } }, { spec: { a: null } });
	t.deepEqual(merged({ b: 1 }), { spec: { a: { b: 1 } } });
	for (const live of [{}, 5, 'a', null]) t.deepEqual(merged(live), { spec: { a: null } });
});

test('trackUpdate(): of an object with a value that does not fit nobody owns anything', (t) => {
	const shape = shapeOf({ type: 'object', properties: { a: { type: 'string' } } });
	const thing = (a: unknown, more: object = {}): KubeObject =>
		({ apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'x', ...more }, spec: { a } }) as KubeObject;
	const tracked = (old: KubeObject | undefined, next: KubeObject): number =>
		trackUpdate(shape, { old, new: next, manager: 'm', subresource: '', now: 'now', reset: RESET }).length;
	t.is(tracked(undefined, thing('a')), 1);
	t.is(tracked(undefined, thing(5)), 0);
	const managedFields = trackUpdate(shape, {
		...{ old: undefined, new: thing('a'), manager: 'm', subresource: '', now: 'now' },
		reset: RESET,
	});
	t.is(tracked(thing('a', { managedFields }), thing(5, { managedFields })), 0);
});
