import test from 'ava';
import { StatusError } from '../status.ts';
import { objectShape } from './kind-shape.ts';
import { resetFieldsOf } from './reset-fields.ts';
import { serverSideApply } from './server-side-apply.ts';
import type { ObjectShape } from './shape.ts';
import { updateManagedFields } from './update.ts';
import type { KubeObject } from '../resource.ts';

const NOW = '2026-01-01T00:00:00Z';
const configMaps = objectShape('', 'v1', 'ConfigMap') as ObjectShape;
const deployments = objectShape('apps', 'v1', 'Deployment') as ObjectShape;
const none = resetFieldsOf('', 'ConfigMap', '');

const map = (data: Record<string, string>): KubeObject =>
	({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }) as KubeObject;
const apply = (live: KubeObject | undefined, data: Record<string, string>, manager: string, force = false): KubeObject =>
	serverSideApply(configMaps, { live, config: map(data), manager, subresource: '', force, now: NOW, reset: none });
const fieldsOf = (object: KubeObject): Record<string, unknown> =>
	Object.fromEntries((object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]));
const dataOf = (object: KubeObject): unknown => (object as { data?: unknown }).data;

const podSpec = {
	containers: [{ name: 'c', image: 'i', resources: {}, ports: [{ containerPort: 80, protocol: 'TCP' }] }],
	securityContext: {},
};
const deployment = {
	apiVersion: 'apps/v1',
	kind: 'Deployment',
	metadata: { name: 'a', labels: { l: 'x' }, uid: 'u', generation: 1 },
	spec: { replicas: 1, selector: { matchLabels: { l: 'x' } }, strategy: { type: 'Recreate' }, template: { metadata: {}, spec: podSpec } },
	status: { replicas: 3 },
} as unknown as KubeObject;

test('updateManagedFields(): a create owns what it set; keyed items, atomic selectors, no status, no system fields', (t) => {
	const input = {
		old: undefined,
		new: deployment,
		manager: 'm',
		subresource: '',
		now: NOW,
		reset: resetFieldsOf('apps', 'Deployment', ''),
	};
	t.deepEqual(fieldsOf(updateManagedFields(deployments, input)), {
		'm Update': {
			'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
			'f:spec': {
				'f:replicas': {},
				'f:selector': {},
				'f:strategy': { 'f:type': {} },
				'f:template': {
					'f:spec': {
						'f:containers': {
							'k:{"name":"c"}': {
								'.': {},
								'f:image': {},
								'f:name': {},
								'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} } },
								'f:resources': {},
							},
						},
						'f:securityContext': {},
					},
				},
			},
		},
	});
});

test('updateManagedFields(): a changed field moves to its new manager', (t) => {
	const first = updateManagedFields(configMaps, {
		old: undefined,
		new: map({ a: '1', b: '1' }),
		manager: 'm',
		subresource: '',
		now: NOW,
		reset: none,
	});
	const next = updateManagedFields(configMaps, {
		old: first,
		new: map({ a: '1', b: '2' }),
		manager: 'n',
		subresource: '',
		now: NOW,
		reset: none,
	});
	t.deepEqual(fieldsOf(next), { 'm Update': { 'f:data': { '.': {}, 'f:a': {} } }, 'n Update': { 'f:data': { 'f:b': {} } } });
});

test('updateManagedFields(): [] clears, and an untracked object stays untracked', (t) => {
	const old = { ...map({ a: '1' }), metadata: { name: 'a', uid: 'u' } };
	const made = updateManagedFields(configMaps, { old, new: map({ a: '2' }), manager: 'm', subresource: '', now: NOW, reset: none });
	t.is(made.metadata.managedFields, undefined);
});

test('serverSideApply(): a field that is no longer applied goes; one that another manager shares stays', (t) => {
	const one = apply(undefined, { a: '1', b: '1' }, 'm1');
	const shared = apply(one, { a: '1' }, 'm2');
	const left = apply(shared, {}, 'm1');
	t.deepEqual(dataOf(left), { a: '1' });
	t.deepEqual(fieldsOf(left), { 'm1 Apply': { 'f:data': {} }, 'm2 Apply': { 'f:data': { 'f:a': {} } } });
});

test('serverSideApply(): a conflict names field and manager; force takes the field', (t) => {
	const live = apply(undefined, { a: '1' }, 'm1');
	const error = t.throws(() => apply(live, { a: '2' }, 'm2'), { instanceOf: StatusError });
	t.is(error.message, 'Apply failed with 1 conflict: conflict with "m1": .data.a');
	t.deepEqual(error.status.details, { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.a' }] });
	t.deepEqual(fieldsOf(apply(live, { a: '2' }, 'm2', true)), { 'm2 Apply': { 'f:data': { 'f:a': {} } } });
});

for (const [name, config, want] of [
	[
		'an unknown field',
		{ ...map({}), foo: 1 },
		'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: field not declared in schema',
	],
	[
		'a number for a string',
		{ ...map({}), data: { a: 5 } },
		'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:5}',
	],
] as const)
	test(`serverSideApply() refuses ${name}`, (t) => {
		const input = {
			live: undefined,
			config: config as unknown as KubeObject,
			manager: 'm',
			subresource: '',
			force: false,
			now: NOW,
			reset: none,
		};
		t.throws(() => serverSideApply(configMaps, input), { message: want });
	});
