/** Of too many managers the oldest are joined: a version at a time, nothing lost. */
import test from 'ava';
import { FieldSet } from './field-set.ts';
import { objectShape } from './kind-shape.ts';
import { capManagers, managerKey, readManagers, type Manager, type Managers } from './managers.ts';
import { NOTHING_RESET } from './reset-fields.ts';
import type { ObjectShape } from './shape.ts';
import { trackUpdate } from './update.ts';
import type { KubeObject } from '../resource.ts';

const at = (seconds: number): string => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;

function manager(name: string, apiVersion: string, second: number, field = name): Manager {
	const fields = FieldSet.of([`f:${field}`]);
	return { manager: name, operation: 'Update', apiVersion, subresource: '', time: at(second), fields };
}

const table = (all: readonly Manager[]): Managers => new Map(all.map((m) => [managerKey(m), m]));
const nine = Array.from({ length: 9 }, (_, i) => manager(`m${i}`, 'v1', 10 + i));

function shown(managers: Managers): Readonly<Record<string, readonly [time: string | undefined, fields: readonly string[]]>> {
	const rows = [...managers.values()].map(
		(m) => [`${m.manager}/${m.apiVersion}`, [m.time, Object.keys(m.fields.toFieldsV1()).sort()]] as const,
	);
	return Object.fromEntries(rows);
}

test('capManagers(): ten are none too many', (t) => {
	const ten = table([...nine, manager('old', 'v1', 1)]);
	t.is(capManagers(ten), ten);
});

test('capManagers(): the oldest two of a version are one, of the newer time', (t) => {
	const capped = shown(capManagers(table([manager('a', 'v1', 1), manager('b', 'v1', 2), ...nine])));
	t.is(Object.keys(capped).length, 10);
	t.deepEqual(capped['ancient-changes/v1'], [at(2), ['f:a', 'f:b']]);
});

test('capManagers(): the only one of its version keeps its name', (t) => {
	const capped = shown(capManagers(table([manager('other', 'v1beta1', 1), manager('a', 'v1', 2), ...nine])));
	t.deepEqual(capped['other/v1beta1'], [at(1), ['f:other']]);
	t.deepEqual(capped['ancient-changes/v1'], [at(10), ['f:a', 'f:m0']]);
});

test('capManagers(): what was joined before stays, whenever it was', (t) => {
	for (const second of [0, 40]) {
		const capped = shown(
			capManagers(table([manager('a', 'v1', 1), manager('b', 'v1', 2), manager('ancient-changes', 'v1', second, 'x'), ...nine.slice(1)])),
		);
		t.true(capped['ancient-changes/v1']?.[1].includes('f:x'), `at ${second}`);
		const fields = Object.values(capped).flatMap(([, all]) => all);
		t.is(new Set(fields).size, 11, 'nothing is lost');
	}
});

const entry = (manager: string, apiVersion: string, fieldsV1: object): object => ({
	manager,
	operation: 'Apply',
	apiVersion,
	fieldsType: 'FieldsV1',
	fieldsV1,
});
const read = (...entries: object[]): Managers | undefined => readManagers(entries as Parameters<typeof readManagers>[0]);

for (const key of ['x', 'data', 'k:1', 'k:{', 'v:{"', 'i:x', ''])
	test(`readManagers(): fields with an element ${JSON.stringify(key)} cannot be understood`, (t) => {
		t.is(read(entry('m', 'v1', { 'f:data': { [key]: {} } })), undefined);
	});

test('readManagers(): an element of an unknown kind is left out', (t) => {
	const [only] = [...(read(entry('m', 'v1', { 'f:data': { 'z:a': { 'f:b': {} } }, 'v:"a"': {}, 'i:-1': {} }))?.values() ?? [])];
	t.deepEqual(only?.fields.toFieldsV1(), { 'f:data': {}, 'v:"a"': {}, 'i:-1': {} });
});

for (const [kind, version, of, left] of [
	['Deployment', 'apps/v1', 'apps/v1', true],
	['Deployment', 'apps/v1', 'v1', false],
	['Deployment', 'apps/v1', 'apps/v1beta1', true],
	['Deployment', 'apps/v1', 'extensions/v1beta1', true],
	['Deployment', 'apps/v1', 'apps/v9', false],
	['Deployment', 'apps/v1', 'batch/v1beta1', false],
	['ConfigMap', 'v1', 'v1', true],
	['ConfigMap', 'v1', 'v1beta1', false],
	['HorizontalPodAutoscaler', 'autoscaling/v2', 'autoscaling/v1', true],
	['Event', 'v1', 'events.k8s.io/v1', true],
] as const)
	test(`trackUpdate(): a manager of ${kind} in ${of} is ${left ? 'kept' : 'forgotten'}`, (t) => {
		const slash = version.indexOf('/');
		const shape = objectShape(version.slice(0, Math.max(slash, 0)), version.slice(slash + 1), kind) as ObjectShape;
		const metadata = { name: 'a', managedFields: [entry('m', of, { 'f:metadata': { 'f:annotations': {} } })] };
		const created = { apiVersion: version, kind, metadata } as unknown as KubeObject;
		const input = { old: undefined, new: created, manager: 'w', subresource: '', now: at(1), reset: NOTHING_RESET };
		t.is(
			trackUpdate(shape, input).some(({ manager: who }) => who === 'm'),
			left,
		);
	});
