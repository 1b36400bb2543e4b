import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { noteEmpty } from '../sent-empty.ts';
import { check } from './check.ts';
import { objectShape } from './kind-shape.ts';
import { NOTHING_RESET } from './reset-fields.ts';
import { trackUpdate } from './update.ts';

const OMITTED = (path: string, key: string): string =>
	`${path}: element 0: associative list with keys has an element that omits all key fields ["${key}"] (and doesn't have default values for any key fields)`;

for (const [group, kind, parts, want] of [
	['', 'ServiceAccount', { secrets: [{}] }, OMITTED('.secrets', 'name')],
	['flowcontrol.apiserver.k8s.io', 'FlowSchema', { status: { conditions: [{}] } }, OMITTED('.status.conditions', 'type')],
	['', 'Pod', { spec: { imagePullSecrets: [{}] } }, undefined],
	['', 'Pod', { spec: { containers: [{ image: 'i' }] } }, undefined],
] as const)
	test(`a key that may be left out is none where nothing stands for it: ${kind} ${JSON.stringify(parts)}`, (t) => {
		const shape = objectShape(group, 'v1', kind)?.shape;
		t.is(shape === undefined ? 'no such kind' : check(shape, parts, false), want);
	});

test('an object with an item that lacks its key has no managers; kinds whose items always have theirs are not asked', (t) => {
	const accounts = objectShape('', 'v1', 'ServiceAccount');
	if (accounts === undefined) return t.fail();
	const managers = (secrets: object[]): readonly (string | undefined)[] => {
		const made = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' }, secrets } as KubeObject;
		const input = { old: undefined, new: made, manager: 'm', subresource: '', now: '2026-01-01T00:00:00Z', reset: NOTHING_RESET };
		return trackUpdate(accounts, input).map(({ manager }) => manager);
	};
	t.deepEqual(managers([{ name: 'a' }, {}]), []);
	t.deepEqual(managers([{ name: 'a' }]), ['m']);
	t.deepEqual(
		['Pod', 'Node', 'Service', 'ConfigMap'].map((kind) => objectShape('', 'v1', kind)?.isLoose),
		[false, false, false, false],
	);
});

const NO_SCALAR = (path: string): string => `${path}: expected any scalar, got &{map[a:1]}`;
for (const [what, group, kind, parts, want] of [
	['a number for a time', 'coordination.k8s.io', 'Lease', { spec: { renewTime: 5 } }, undefined],
	['a map for a time', 'coordination.k8s.io', 'Lease', { spec: { renewTime: { a: 1 } } }, NO_SCALAR('.spec.renewTime')],
	['a map for a time of the metadata', '', 'Pod', { metadata: { deletionTimestamp: { a: 1 } } }, NO_SCALAR('.metadata.deletionTimestamp')],
	['a text for raw data', 'apps', 'ControllerRevision', { data: 'x' }, undefined],
	['a list for a number or a text', 'apps', 'Deployment', { spec: { strategy: { rollingUpdate: { maxSurge: [1] } } } }, undefined],
	['a list for raw data', 'apps', 'ControllerRevision', { data: [1] }, undefined],
	[
		'a map for a text, which is shown in the order of its keys',
		'',
		'ConfigMap',
		{ data: { x: { b: 1, a: 2 } } },
		'.data.x: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":2, "b":1}}',
	],
	[
		'a list for a text, whose numbers and texts are shown as Go has them',
		'',
		'ConfigMap',
		{ data: { x: [1_234_567.5, '\u0001'] } },
		String.raw`.data.x: expected string, got &value.valueUnstructured{Value:[]interface {}{1.2345675e+06, "\x01"}}`,
	],
] as const)
	test(`check(): ${what}`, (t) => {
		const shape = objectShape(group, 'v1', kind)?.shape;
		t.is(shape === undefined ? 'no such kind' : check(shape, parts, false), want);
	});

test('trackUpdate(): an empty list inside of a list that is one field is a change of it, a field that is empty itself is none', (t) => {
	const slices = objectShape('resource.k8s.io', 'v1', 'ResourceSlice');
	if (slices === undefined) return t.fail();
	const made = (manager: string, device: object, old?: KubeObject): KubeObject => {
		const object = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name: 'a' }, spec: { devices: [device] } };
		noteEmpty(object.spec, 'sharedCounters', []);
		const input = { old, new: object as KubeObject, manager, subresource: '', now: '2026-01-01T00:00:00Z', reset: NOTHING_RESET };
		return { ...object, metadata: { ...object.metadata, managedFields: trackUpdate(slices, input) } } as KubeObject;
	};
	const managers = (object: KubeObject): unknown => object.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
	const first = made('one', { name: 'd' });
	const owned = { 'f:spec': { 'f:devices': {} } };
	t.deepEqual(managers(made('two', { name: 'd' }, first)), [['one', owned]]);
	const emptied = { name: 'd' };
	noteEmpty(emptied, 'taints', []);
	t.deepEqual(managers(made('two', emptied, first)), [['two', owned]]);
});
