import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { builtInKinds } from '../registry/built-in-kinds.ts';
import { storeKey } from '../registry/kinds.ts';
import { RESOURCES } from '../../../api/resources.ts';
import { encode } from '../answer/canonical.ts';
import { upstreamForm } from './upstream-form.ts';

const form = upstreamForm();
const kinds = builtInKinds(RESOURCES);
const kindOf = (apiVersion: string, kind: string) => {
	const found = kinds.find((k) => k.apiVersion === apiVersion && k.resource.kind === kind);
	if (found === undefined) throw new Error(`no kind ${apiVersion} ${kind}`);
	return found;
};

test('keys stand where upstream has them, and come back', (t) => {
	for (const [apiVersion, kind, namespace, name, key] of [
		['v1', 'Pod', 'default', 'web', '/registry/pods/default/web'],
		['v1', 'Node', '', 'n1', '/registry/minions/n1'],
		['v1', 'Namespace', '', 'default', '/registry/namespaces/default'],
		['v1', 'Service', 'a', 'b', '/registry/services/specs/a/b'],
		['v1', 'Endpoints', 'a', 'b', '/registry/services/endpoints/a/b'],
		['v1', 'ReplicationController', 'a', 'b', '/registry/controllers/a/b'],
		['v1', 'Event', 'a', 'b.17', '/registry/events/a/b.17'],
		['apps/v1', 'Deployment', 'a', 'b', '/registry/deployments/a/b'],
		['networking.k8s.io/v1', 'Ingress', 'a', 'b', '/registry/ingress/a/b'],
		['networking.k8s.io/v1', 'IPAddress', '', '10.0.0.1', '/registry/ipaddresses/10.0.0.1'],
		['rbac.authorization.k8s.io/v1', 'ClusterRole', '', 'system:node', '/registry/clusterroles/system:node'],
		['coordination.k8s.io/v1', 'Lease', 'kube-node-lease', 'n1', '/registry/leases/kube-node-lease/n1'],
		[
			'apiextensions.k8s.io/v1',
			'CustomResourceDefinition',
			'',
			'a.b.io',
			'/registry/apiextensions.k8s.io/customresourcedefinitions/a.b.io',
		],
		['apiregistration.k8s.io/v1', 'APIService', '', 'v1.', '/registry/apiregistration.k8s.io/apiservices/v1.'],
	] as const) {
		const inner = storeKey(kindOf(apiVersion, kind), namespace, name);
		t.is(form.toKey(inner), key);
		t.is(form.fromKey(key), inner);
	}
	t.is(form.toKey('/stable.example.com/crontabs/default/x'), '/registry/stable.example.com/crontabs/default/x');
	t.is(form.fromKey('/registry/stable.example.com/crontabs/default/x'), '/stable.example.com/crontabs/default/x');
	t.is(form.fromKey('/registry/node.k8s.io/runtimeclasses/x'), '/node.k8s.io/runtimeclasses:custom/x');
	t.is(
		form.toKey('/node.k8s.io/runtimeclasses:custom/x'),
		'/registry/node.k8s.io/runtimeclasses/x',
		'a custom resource of a built-in name',
	);
	for (const foreign of ['compact_rev_key', '/other/pods/a/b', '/registry/a.b', '/registry/a.b/c'])
		t.is(form.fromKey(foreign), undefined, foreign);
});

test('every built-in kind has a folder of its own', (t) => {
	const keys = kinds.filter((k) => k.conversion === undefined).map((k) => form.toKey(storeKey(k, 'ns', 'name')));
	t.is(new Set(keys).size, keys.length);
	for (const [i, kind] of kinds.filter((k) => k.conversion === undefined).entries())
		t.is(form.fromKey(keys[i] as string), storeKey(kind, 'ns', 'name'), keys[i]);
});

test('everything may be written as JSON, and either form is read', (t) => {
	const json = upstreamForm('/registry/', undefined, 'IPv4', true);
	for (const sample of SAMPLES.slice(0, 1)) {
		const kind = kindOf('v1', 'ConfigMap');
		const key = storeKey(kind, 'a', 'c');
		const value = kind.encode(sample);
		const written = json.toValue(key, value);
		t.like(JSON.parse(Buffer.from(written).toString()), { kind: sample.kind, data: { k: 'v' } });
		for (const [from, to] of [
			[written, form],
			[form.toValue(key, value), json],
		] as const)
			t.deepEqual(Buffer.from(to.fromValue(key, Buffer.from(from)).bytes), Buffer.from(value.bytes));
	}
});

const SAMPLES: readonly KubeObject[] = [
	{
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { name: 'c', namespace: 'a', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z', labels: { app: 'x' } },
		data: { k: 'v' },
	},
	{
		apiVersion: 'apiregistration.k8s.io/v1',
		kind: 'APIService',
		metadata: { name: 'v1.apps', uid: 'u2', creationTimestamp: '2026-01-01T00:00:00Z' },
		spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 100, versionPriority: 1 },
		status: {},
	},
] as unknown as KubeObject[];

test('values: protobuf for built-in kinds, JSON for the aggregated ones, the same object back', (t) => {
	for (const sample of SAMPLES) {
		const kind = kindOf(sample.apiVersion ?? '', sample.kind ?? '');
		const key = storeKey(kind, sample.metadata.namespace ?? '', sample.metadata.name ?? '');
		const value = kind.encode(sample);
		const bytes = Buffer.from(form.toValue(key, value));
		t.is(bytes.subarray(0, 4).toString('latin1') === 'k8s\0', sample.kind === 'ConfigMap');
		const back = form.fromValue(key, bytes);
		t.is(Buffer.from(back.bytes).toString(), Buffer.from(value.bytes).toString());
		t.deepEqual([back.versionAt, back.labels, back.fields], [value.versionAt, value.labels, value.fields]);
	}
});

test('taken node ports are a RangeAllocation in protobuf, as upstream has them', (t) => {
	const key = '/core/ranges/servicenodeports';
	t.is(form.toKey(key), '/registry/ranges/servicenodeports');
	t.is(form.fromKey('/registry/ranges/servicenodeports'), key);
	const metadata = { generation: 0, creationTimestamp: '2026-01-01T00:00:00Z' };
	const object = { kind: 'RangeAllocation', apiVersion: 'v1', metadata, range: '30000-32767', data: 'AgE=' };
	const bytes = Buffer.from(form.toValue(key, encode(object, { labels: {}, fields: {} })));
	t.is(bytes.subarray(0, 4).toString('latin1'), 'k8s\0');
	t.deepEqual(JSON.parse(Buffer.from(form.fromValue(key, bytes).bytes).toString()), object);
});

test('another served version is read as the stored one', (t) => {
	const hpa = {
		apiVersion: 'autoscaling/v1',
		kind: 'HorizontalPodAutoscaler',
		metadata: { name: 'h', namespace: 'a', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
		spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
		status: {},
	};
	const back = form.fromValue('/autoscaling/horizontalpodautoscalers/a/h', Buffer.from(JSON.stringify(hpa)));
	const object = JSON.parse(Buffer.from(back.bytes).toString()) as { apiVersion: string; spec: { metrics: { type: string }[] } };
	t.is(object.apiVersion, 'autoscaling/v2');
	t.is(object.spec.metrics[0]?.type, 'Resource');
	t.throws(() => form.fromValue('/core/pods/a/b', Buffer.from('{"apiVersion":"v9","kind":"Pod"}')), { message: /v9\/Pod cannot be read/ });
	t.throws(() => form.fromValue('/core/pods/a/b', Buffer.from('nothing')), { message: /neither protobuf nor JSON/ });
});

for (const [name, kind, given, want] of [
	[
		'a source that one field names',
		'PersistentVolumeClaim',
		{ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } },
		{ dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } },
	],
	[
		'a source that the other one names',
		'PersistentVolumeClaim',
		{ dataSourceRef: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'c' } },
		{ dataSource: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'c' } },
	],
	[
		'a source in another namespace',
		'PersistentVolumeClaim',
		{ dataSourceRef: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'c', namespace: 'b' } },
		{ dataSource: undefined },
	],
	[
		'an address from before there could be two',
		'Service',
		{ clusterIP: '10.0.0.7' },
		{ clusterIPs: ['10.0.0.7'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
	],
	[
		'two addresses',
		'Service',
		{ clusterIP: 'fd00::1', clusterIPs: ['fd00::1', '10.0.0.7'] },
		{ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' },
	],
	[
		'no address, but a selector',
		'Service',
		{ clusterIP: 'None', selector: { a: 'b' } },
		{ clusterIPs: ['None'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' },
	],
	['neither', 'Service', { clusterIP: 'None' }, { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' }],
	['no address yet', 'Service', {}, { ipFamilies: undefined, ipFamilyPolicy: undefined }],
	[
		'a name outside',
		'Service',
		{ type: 'ExternalName', externalName: 'a.b', internalTrafficPolicy: 'Cluster' },
		{ internalTrafficPolicy: undefined, ipFamilies: undefined },
	],
] as const)
	test(`what an older server wrote is completed as it is read: ${name}`, (t) => {
		const sample = { apiVersion: 'v1', kind, metadata: { name: 'x', namespace: 'a', uid: 'u' }, spec: given };
		const key = storeKey(kindOf('v1', kind), 'a', 'x');
		const { bytes } = upstreamForm('/registry/', undefined, 'IPv6').fromValue(key, Buffer.from(JSON.stringify(sample)));
		const { spec } = JSON.parse(Buffer.from(bytes).toString()) as { spec: Record<string, unknown> };
		for (const [field, value] of Object.entries({ ...given, ...want })) t.deepEqual(spec[field], value, field);
	});

test('custom resources answer selectors on any scalar field', (t) => {
	const metadata = { name: 'x', namespace: 'a', creationTimestamp: '2026-01-01T00:00:00Z', labels: { l: '1' } };
	const object = { kind: 'Widget', apiVersion: 'e.com/v1', metadata, spec: { color: 'red', size: 3 } };
	const value = form.fromValue('/e.com/widgets/a/x', Buffer.from(JSON.stringify(object)));
	t.deepEqual([value.fields['spec.color'], value.fields['spec.size'], value.fields['metadata.name']], ['red', '3', 'x']);
	t.deepEqual(value.labels, { l: '1' });
	t.is(Buffer.from(form.toValue('/e.com/widgets/a/x', encode(object, value))).toString(), JSON.stringify(object));
});
