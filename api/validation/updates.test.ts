/** Updates: how often a kind looks at metadata, and what may not change of it. */
import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateUpdate } from './validation.ts';

const META = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const OF_CLUSTER = ['PersistentVolume', 'IPAddress'];

function complaints(group: string, kind: string, parts: object, metadata: object = {}, before: object = parts, subresource = ''): string[] {
	const meta = OF_CLUSTER.includes(kind) ? META : { ...META, namespace: 'n' };
	const of = (part: object, own: object): KubeObject => ({ kind, metadata: { ...meta, ...own }, ...part }) as unknown as KubeObject;
	const errors = validateUpdate(group, 'v1', kind, of(parts, metadata), of(before, {}), !OF_CLUSTER.includes(kind), subresource);
	return errors.map(({ field, message }) => `${field}: ${message}`);
}

const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const template = {
	metadata: { labels: { a: 'b' } },
	spec: { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' },
};
const selector = { matchLabels: { a: 'b' } };
const SERVICE = {
	spec: { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', clusterIP: 'None', clusterIPs: ['None'] },
};
const SET = {
	spec: {
		...{ selector, template, serviceName: 's', podManagementPolicy: 'OrderedReady', replicas: 1 },
		updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
	},
};
const volume = (spec: object): object => ({
	spec: {
		...{ accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
		...{ hostPath: { path: '/x', type: '' }, ...spec },
	},
});
const INGRESS = { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } };
const PARENT = { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } };

for (const [kind, group, parts, subresource, labels, finalizers] of [
	['Service', '', SERVICE, '', 3, 2],
	['StatefulSet', 'apps', SET, '', 3, 2],
	['Ingress', 'networking.k8s.io', INGRESS, '', 4, 4],
	['PodTemplate', '', { template }, '', 3, 2],
	['PersistentVolume', '', volume({}), '', 4, 5],
	['PodDisruptionBudget', 'policy', { spec: { minAvailable: 1, selector } }, '', 2, 1],
	['PodDisruptionBudget', 'policy', { spec: { minAvailable: 1, selector } }, 'status', 2, 1],
	['CronJob', 'batch', {}, 'status', 2, 1],
] as const) {
	test(`labels and finalizers are looked at as often as upstream does: ${kind} ${subresource}`, (t) => {
		t.is(complaints(group, kind, parts, { labels: { 'B c': 'x' } }, parts, subresource).length, labels);
		t.is(complaints(group, kind, parts, { finalizers: ['A b/c', 'x'] }, parts, subresource).length, finalizers);
		t.deepEqual(complaints(group, kind, parts, {}, parts, subresource), []);
	});
}

test('managers with names that are too long or not printable are told of', (t) => {
	const entry = { manager: 'x'.repeat(129), operation: 'Update', subresource: 's'.repeat(257) };
	t.deepEqual(
		complaints('batch', 'CronJob', {}, { managedFields: [entry, { ...entry, manager: 'é\n', subresource: '' }] }, {}, 'status').slice(0, 3),
		[
			'metadata.managedFields[0].manager: Too long: may not be more than 128 bytes',
			'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
			'metadata.managedFields[1].manager: Invalid value: "é\\n": invalid character U+000A (at position 2)',
		],
	);
});

const SOURCE = 'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n';
const affinity = (key: string): object => ({
	nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['z'] }] }] } },
});
const CSI = { hostPath: undefined, csi: { driver: 'd', volumeHandle: 'h' } };
const secret = { controllerExpandSecretRef: { name: 's', namespace: 'n' } };

for (const [rule, before, after, want] of [
	[
		'what it is made of stays, and the difference is shown',
		volume({}),
		volume({ hostPath: { path: '/y', type: '' } }),
		[
			`${SOURCE}@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/x",\n+  "Path": "/y",\n   "Type": ""\n  },\n  "Glusterfs": null,\n`,
		],
	],
	['a secret for expansion may be added', volume(CSI), volume({ ...CSI, csi: { ...CSI.csi, ...secret } }), []],
	['who reaches it may be said later', volume({}), volume(affinity('k')), []],
	[
		'a label may get its stable name',
		volume(affinity('failure-domain.beta.kubernetes.io/zone')),
		volume(affinity('topology.kubernetes.io/zone')),
		[],
	],
	[
		'who reaches it stays',
		volume(affinity('k')),
		volume(affinity('l')),
		[
			'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"l","Operator":"In","Values":["z"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
		],
	],
] as const)
	test(`PersistentVolume: ${rule}`, (t) => t.deepEqual(complaints('', 'PersistentVolume', after, {}, before), [...want]));

test('PersistentVolume: a label without a stable name may lose its name, which is wrong by itself', (t) => {
	const fields = complaints('', 'PersistentVolume', volume(affinity('')), {}, volume(affinity('k'))).map((text) => text.split(':')[0]);
	t.deepEqual([...new Set(fields)], ['spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key']);
});

for (const [rule, kind, group, before, after, want] of [
	[
		"an address's parent is looked at, and shown as Go prints it",
		'IPAddress',
		'networking.k8s.io',
		PARENT,
		{ spec: { parentRef: { resource: 'services', namespace: 'n' } } },
		[
			'spec.parentRef.name: Required value',
			'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":""}: field is immutable',
		],
	],
	[
		'scopes are a set',
		'ResourceQuota',
		'',
		{ spec: { scopes: ['BestEffort'] } },
		{ spec: { scopes: ['BestEffort'], hard: { pods: '1' } } },
		[],
	],
	[
		"a quota's scope selector may change",
		'ResourceQuota',
		'',
		{ spec: {} },
		{ spec: { scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] } } },
		[],
	],
	[
		'data that goes is immutable, not missing',
		'ControllerRevision',
		'apps',
		{ data: { a: 1 }, revision: 1 },
		{ revision: 1 },
		['data: Invalid value: null: field is immutable'],
	],
] as const)
	test(`${kind}: ${rule}`, (t) =>
		t.deepEqual(
			complaints(group, kind, after, kind === 'IPAddress' ? { name: '10.0.0.1' } : {}, before).filter(
				(text) => !text.startsWith('metadata'),
			),
			[...want],
		));

const service = (spec: object): object => ({
	spec: {
		...SERVICE.spec,
		clusterIP: '10.0.0.1',
		clusterIPs: ['10.0.0.1'],
		ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
		...spec,
	},
});
const OTHER = { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] };
const BALANCER = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 };

for (const [rule, before, after, want] of [
	['an address stays', {}, OTHER, ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set']],
	['none stays none', { clusterIP: 'None', clusterIPs: ['None'] }, { clusterIP: 'None', clusterIPs: ['None'] }, []],
	[
		'none is for Services without node ports',
		{ clusterIP: 'None', clusterIPs: ['None'] },
		{ type: 'NodePort', externalTrafficPolicy: 'Cluster', clusterIP: 'None', clusterIPs: ['None'] },
		['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
	],
	[
		'a name elsewhere has neither addresses nor families',
		{},
		{
			type: 'ExternalName',
			externalName: 'a.b',
			internalTrafficPolicy: undefined,
			clusterIP: undefined,
			clusterIPs: undefined,
			ipFamilies: ['IPv4'],
			ipFamilyPolicy: 'x',
		},
		[
			'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
			'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
		],
	],
	[
		'a class that comes later',
		BALANCER,
		{ ...BALANCER, loadBalancerClass: 'a.b/c' },
		['spec.loadBalancerClass: Invalid value: "a.b/c": may not change once set'],
	],
	[
		'the port of the health check stays',
		BALANCER,
		{ ...BALANCER, healthCheckNodePort: 30_002 },
		['spec.healthCheckNodePort: Forbidden: field is immutable'],
	],
] as const)
	test(`Service: ${rule}`, (t) => t.deepEqual(complaints('', 'Service', service(after), {}, service(before)), [...want]));

test('StatefulSet: what may not change anyway is not looked at', (t) => {
	const parts = { spec: { ...SET.spec, serviceName: 'A_', volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: {} }] } };
	t.deepEqual(complaints('apps', 'StatefulSet', parts), []);
});

test('StatefulSet: metadata comes after the counts of a status', (t) => {
	const found = complaints('apps', 'StatefulSet', { status: { replicas: 0, readyReplicas: 1 } }, { labels: { 'B c': '' } }, {}, 'status');
	t.deepEqual(
		found.map((text) => text.split(':')[0]),
		['metadata.labels', 'metadata.labels', 'status.readyReplicas', 'metadata.labels'],
	);
});

const indexed = (completions: number, parallelism: number): object => ({
	...{ completionMode: 'Indexed', completions, parallelism, backoffLimit: 1, selector: { matchLabels: { a: 'b' } } },
	template: { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Never', containers: [] } },
});

test('Job: indexes grow with the pods that run at once', (t) => {
	const found = (completions: number, parallelism: number): readonly string[] =>
		complaints('batch', 'Job', { spec: indexed(completions, parallelism) }, {}, { spec: indexed(1, 1) }).filter((text) =>
			text.startsWith('spec.completions'),
		);
	t.deepEqual(found(2, 1), ['spec.completions: Invalid value: 2: can only be modified in tandem with spec.parallelism']);
	t.deepEqual(found(2, 2), []);
});
