import test from 'ava';
import { StatusError } from '../status.ts';
import { compare } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { objectShape } from './kind-shape.ts';
import { readManagers } from './managers.ts';
import { newFields } from './new-fields.ts';
import { toParent, toScale } from './scale-managers.ts';
import type { ManagedFieldsEntry } from '../gen/types.ts';
import { NOTHING_RESET, resetFieldsOf } from './reset-fields.ts';
import { serverSideApply } from './server-side-apply.ts';
import type { Fields, ObjectShape } from './shape.ts';
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

test('updateManagedFields(): what a write puts back counts as changed to managers of a version that does not know of it', (t) => {
	const entry = (manager: string, version: string): ManagedFieldsEntry => ({
		...{ manager, operation: 'Update', apiVersion: `x/${version}`, time: NOW, fieldsType: 'FieldsV1' },
		fieldsV1: { 'f:data': { 'f:a': {} } },
	});
	const managedFields = [entry('one', 'v1'), entry('two', 'v2')];
	const reset = { filter: (set: FieldSet) => set.without(FieldSet.of(['f:data'])), only: 'x/v2' };
	const write = { manager: 'm', subresource: '', now: NOW, reset };
	const old = { ...map({ a: '1' }), metadata: { name: 'a', managedFields } };
	t.deepEqual(Object.keys(fieldsOf(updateManagedFields(ofAnyVersion, { ...write, old, new: { ...old, ...dataChanged } }))), ['two Update']);
});
const dataChanged = { data: { a: '2' } };
const { hasVersion: _, ...ofAnyVersion } = configMaps;

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

test('serverSideApply(): metadata stays when all that was applied of it goes', (t) => {
	const labelled = { ...map({}), metadata: { name: 'a', labels: { l: 'x' } } } as KubeObject;
	const input = { live: undefined, config: labelled, manager: 'm', subresource: '', force: false, now: NOW, reset: none };
	const live = serverSideApply(configMaps, input);
	const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } as KubeObject;
	t.deepEqual(serverSideApply(configMaps, { ...input, live, config: bare }).metadata, { name: 'a' });
});

test('serverSideApply(): what client-side apply set last is no conflict for kubectl, and its annotation follows', (t) => {
	const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
	const metadata = { name: 'a', uid: 'u', annotations: { [annotation]: JSON.stringify(map({ a: '1' })) } };
	const live = apply({ ...map({ a: '1' }), metadata } as KubeObject, { b: '1' }, 'other');
	t.throws(() => apply(live, { a: '2' }, 'm'), { message: /^Apply failed with 1 conflict: conflict with "before-first-apply"/ });
	const made = apply(live, { a: '2' }, 'kubectl');
	t.deepEqual(dataOf(made), { a: '2', b: '1' });
	t.is(made.metadata.annotations?.[annotation], '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n');
});

test('of entries with one identity the last one counts', (t) => {
	const entry = (name: string): object => ({
		manager: 'm',
		operation: 'Update',
		apiVersion: 'v1',
		fieldsType: 'FieldsV1',
		fieldsV1: { 'f:data': { [`f:${name}`]: {} } },
	});
	const read = readManagers([entry('a'), entry('b')] as Parameters<typeof readManagers>[0]);
	t.deepEqual(
		[...(read?.values() ?? [])].map(({ fields }) => fields.toFieldsV1() as unknown),
		[{ 'f:data': { 'f:b': {} } }],
	);
});

const owner = (manager: string, operation: string, fieldsV1: object): object => ({
	manager,
	operation,
	apiVersion: 'apps/v1',
	time: NOW,
	fieldsType: 'FieldsV1',
	fieldsV1,
});
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };

test('the owners of replicas own those of the scale, lose them there, and have no time they did not have', (t) => {
	const entries = [
		owner('m', 'Apply', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }),
		owner('n', 'Update', { 'f:spec': { 'f:paused': {} } }),
	];
	const parent = { entries: entries as ManagedFieldsEntry[], apiVersion: 'apps/v1', paths: { 'apps/v1': ['spec', 'replicas'] } };
	const ofScale = toScale(parent);
	t.deepEqual(ofScale.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]) as unknown, [
		['m', 'autoscaling/v1', REPLICAS],
	]);
	const taken = [{ ...ofScale[0], manager: 's', operation: 'Update', subresource: 'scale' }] as ManagedFieldsEntry[];
	t.deepEqual(toParent(parent, taken).map(({ manager, apiVersion, time, fieldsV1 }) => [manager, apiVersion, time, fieldsV1]) as unknown, [
		['m', 'apps/v1', NOW, { 'f:spec': { 'f:paused': {} } }],
		['s', 'apps/v1', undefined, REPLICAS],
		['n', 'apps/v1', NOW, { 'f:spec': { 'f:paused': {} } }],
	]);
	t.deepEqual(toParent(parent, ofScale), entries as ManagedFieldsEntry[]);
});

for (const [kind, subresource, path, isOwned] of [
	['/Pod', '', 'status', false],
	['/Pod', 'status', 'spec', false],
	['/Pod', 'ephemeralcontainers', 'spec', true],
	['/Pod', 'resize', 'metadata', true],
	['/Namespace', 'finalize', 'status', false],
	['certificates.k8s.io/CertificateSigningRequest', 'approval', 'status', true],
	['storage.k8s.io/VolumeAttachment', 'status', 'metadata', false],
	['apps/Deployment', 'status', 'metadata', true],
] as const)
	test(`resetFieldsOf(): a write of ${kind} ${subresource} ${isOwned ? 'may own' : 'never owns'} ${path}`, (t) => {
		const [group = '', name = ''] = kind.split('/');
		const set = resetFieldsOf(group, name, subresource).filter(FieldSet.of([`f:${path}`, 'f:x']));
		t.is(!set.isEmpty, isOwned);
	});

const meta = { name: 'a', creationTimestamp: null };
const spec = { template: { metadata: { creationTimestamp: null }, spec: podSpec }, selector: null, strategy: {} };
for (const [name, group, kind, object] of [
	['a list with keys', 'apps', 'Deployment', deployment],
	['zeros and nulls as the empty object has them', 'apps', 'Deployment', { metadata: meta, spec, status: {} }],
	['an absent spec', 'apps', 'Deployment', { metadata: {} }],
	['empty maps, lists and texts', '', 'ConfigMap', { metadata: { ...meta, labels: {}, finalizers: [] }, data: {}, immutable: false }],
	['a set with an item twice', '', 'ConfigMap', { metadata: { finalizers: ['x', 'y', 'x'] } }],
	[
		'items that share their key',
		'',
		'Pod',
		{ metadata: {}, spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'a', image: 'i' }] } },
	],
	['items without a key', '', 'Pod', { metadata: {}, spec: { volumes: [null, {}, { name: 'v', emptyDir: {} }] } }],
	['raw JSON', 'apps', 'ControllerRevision', { metadata: meta, data: { a: { b: [1] } }, revision: 0 }],
	['what the kind does not know', '', 'ConfigMap', { metadata: { odd: { x: [1], y: null } }, other: 'z' }],
] as const)
	test(`newFields(): as a comparison with nothing says it: ${name}`, (t) => {
		const known = objectShape(group, 'v1', kind) as ObjectShape;
		const after = { apiVersion: 'v1', kind, ...object } as unknown as Fields;
		const { added, modified } = compare(known.shape, known.empty(), after);
		t.deepEqual(newFields(known.shape, known.empty(), after).toFieldsV1(), modified.union(added).toFieldsV1());
	});

/** As structured-merge-diff 6.3.2 answers: what applying twice leaves, and who owns it. */
const again = (group: string, version: string, kind: string, ...configs: readonly object[]): KubeObject => {
	const known = objectShape(group, version, kind) as ObjectShape;
	const shape: ObjectShape = { ...known, empty: () => ({}) };
	let live: KubeObject | undefined;
	for (const config of configs) {
		const whole = { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...config } as KubeObject;
		live = serverSideApply(shape, { live, config: whole, manager: 'a', subresource: '', force: true, now: NOW, reset: NOTHING_RESET });
	}
	return live as KubeObject;
};

test('serverSideApply(): what lost all that it held stays, empty, where its owner still names it', (t) => {
	const status = (typeChecking: object): object => ({ metadata: { name: 'p' }, status: { observedGeneration: 1, typeChecking } });
	const made = again(
		'admissionregistration.k8s.io',
		'v1',
		'ValidatingAdmissionPolicy',
		status({ expressionWarnings: [{ fieldRef: 'f', warning: 'w' }] }),
		status({}),
	);
	t.deepEqual((made as unknown as { status: unknown }).status, { observedGeneration: 1, typeChecking: {} });
	t.deepEqual(fieldsOf(made), { 'a Apply': { 'f:status': { 'f:observedGeneration': {}, 'f:typeChecking': {} } } });
});

test("serverSideApply(): an empty list with keys is nobody's, so that the next apply finds an object without owners", (t) => {
	const drivers = { metadata: { name: 'p' }, spec: { drivers: [] } };
	const [once, twice] = [again('storage.k8s.io', 'v1', 'CSINode', drivers), again('storage.k8s.io', 'v1', 'CSINode', drivers, drivers)];
	t.deepEqual(fieldsOf(once), {});
	t.deepEqual(fieldsOf(twice), { 'before-first-apply Update': { 'f:spec': { '.': {}, 'f:drivers': {} } } });
});

test("serverSideApply(): items that stand twice before the first apply are one, and then the applier's", (t) => {
	const namespaces = objectShape('', 'v1', 'Namespace') as ObjectShape;
	const namespace = (finalizers: string[]): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'p', finalizers } });
	const input = { config: namespace(['a']), manager: 'a', subresource: '', force: true, now: NOW, reset: none };
	const once = serverSideApply(namespaces, { ...input, live: namespace(['a', 'a']) });
	t.deepEqual(once.metadata.finalizers, ['a']);
	t.deepEqual(fieldsOf(once), {
		'a Apply': { 'f:metadata': { 'f:finalizers': { 'v:"a"': {} } } },
		'before-first-apply Update': { 'f:metadata': { 'f:finalizers': {} } },
	});
	t.deepEqual(serverSideApply(namespaces, { ...input, live: once }), once);
	t.throws(() => serverSideApply(namespaces, { ...input, live: undefined, config: namespace(['a', 'a']) }), {
		message: /\.metadata\.finalizers: duplicate entries for key \[="a"\]$/,
	});
});

test("FieldsV1: keys and values of items are JSON as Go's encoder writes it, however they were sent", (t) => {
	const namespaces = objectShape('', 'v1', 'Namespace') as ObjectShape;
	const config: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'p', finalizers: ['a<b>&\u2028é'] } };
	const input = { config, manager: 'a', subresource: '', force: false, now: NOW, reset: none };
	const once = serverSideApply(namespaces, { ...input, live: undefined });
	const want = { 'a Apply': { 'f:metadata': { 'f:finalizers': { 'v:"a\\u003cb\\u003e\\u0026\\u2028é"': {} } } } };
	t.deepEqual(fieldsOf(once), want);
	const [entry] = once.metadata.managedFields ?? [];
	const sent = [{ ...entry, fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:"a<b>&\u2028é"': {} } } } }];
	const live = { ...once, metadata: { ...once.metadata, managedFields: sent } };
	t.deepEqual(fieldsOf(serverSideApply(namespaces, { ...input, live })), want);
});

test('serverSideApply(): data that is null was set by nobody', (t) => {
	const revision = { metadata: { name: 'p' }, revision: 1, data: null };
	t.deepEqual(fieldsOf(again('apps', 'v1', 'ControllerRevision', revision, revision)), { 'a Apply': { 'f:data': {}, 'f:revision': {} } });
});
