/** A row of each kind, cell by cell, as upstream's printers write it. */
import test from 'ava';
import * as RESOURCES from '../../../api/resources.ts';
import type { Cell } from './column.ts';
import { columnsOf, rowOf } from './table.ts';

const NOW = Date.UTC(2026, 0, 2);
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };
const template = {
	spec: {
		containers: [
			{ name: 'a', image: 'i' },
			{ name: 'b', image: 'j' },
		],
		nodeSelector: { z: '1', y: '2' },
	},
	metadata: { labels: { k: 'v' } },
};
const selector = { matchLabels: { k: 'v' }, matchExpressions: [{ key: 'e', operator: 'In', values: ['2', '1'] }] };
const SELECTED = 'e in (1,2),k=v';
const param = { apiVersion: 'v1', kind: 'C' };

const ROWS: readonly (readonly [kind: string, object: object, cells: readonly Cell[]])[] = [
	[
		'Deployment',
		{ spec: { replicas: 3, selector, template }, status: { readyReplicas: 1, updatedReplicas: 2 } },
		['x', '1/3', 2, 0, '24h', 'a,b', 'i,j', SELECTED],
	],
	[
		'ReplicaSet',
		{ spec: { replicas: 3, selector, template }, status: { replicas: 2, readyReplicas: 1 } },
		['x', 3, 2, 1, '24h', 'a,b', 'i,j', SELECTED],
	],
	['ReplicationController', { spec: { replicas: 3, selector: { b: '1', a: '2' } } }, ['x', 3, 0, 0, '24h', '', '', 'a=2,b=1']],
	['StatefulSet', { spec: { replicas: 2, template } }, ['x', '0/2', '24h', 'a,b', 'i,j']],
	[
		'DaemonSet',
		{
			spec: { selector, template },
			status: { desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, updatedNumberScheduled: 2, numberAvailable: 1 },
		},
		['x', 5, 4, 3, 2, 1, 'y=2,z=1', '24h', 'a,b', 'i,j', SELECTED],
	],
	[
		'Job',
		{
			spec: { parallelism: 4, template },
			status: {
				succeeded: 1,
				startTime: '2026-01-01T23:00:00Z',
				conditions: [
					{ type: 'Complete', status: 'False' },
					{ type: 'Complete', status: 'True' },
					{ type: 'Suspended', status: 'True' },
				],
			},
		},
		['x', 'Suspended', '1/1 of 4', '60m', '24h', 'a,b', 'i,j', '<none>'],
	],
	[
		'Job',
		{
			spec: { completions: 2 },
			status: {
				succeeded: 2,
				startTime: '2026-01-01T00:00:00Z',
				completionTime: '2026-01-01T00:00:09Z',
				conditions: [{ type: 'Complete', status: 'True' }],
			},
		},
		['x', 'Complete', '2/2', '9s', '24h', '', '', '<none>'],
	],
	[
		'CronJob',
		{ spec: { schedule: '@daily', suspend: false, jobTemplate: { spec: { template } } }, status: { active: [{}] } },
		['x', '@daily', '<none>', 'False', 1, '<none>', '24h', 'a,b', 'i,j', '<none>'],
	],
	['PodTemplate', { template }, ['x', 'a,b', 'i,j', 'k=v']],
	[
		'ControllerRevision',
		{
			metadata: { ...metadata, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', controller: true }] },
			revision: 7,
		},
		['x', 'daemonset.apps/d', 7, '24h'],
	],
	['PodDisruptionBudget', { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 1 } }, ['x', '50%', 'N/A', 1, '24h']],
	['Scale', { spec: { replicas: 2 }, status: { replicas: 1 } }, ['x', 2, 1, '24h']],
	['CustomScale', { spec: {}, status: { replicas: 0 } }, ['x', null, 0, '24h']],
	[
		'HorizontalPodAutoscaler',
		{ spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 } },
		['x', 'Deployment/d', '<none>', '<unset>', 3, 0, '24h'],
	],
	[
		'Service',
		{
			spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }] },
			status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'a' }, { ip: '1.1.1.1' }] } },
		},
		['x', 'LoadBalancer', '10.0.0.1', '1.1.1.1,2.2.2.2,a', '80:30080/TCP', '24h', '<none>'],
	],
	['Service', { spec: { type: 'ExternalName', externalName: 'e' } }, ['x', 'ExternalName', '<none>', 'e', '<none>', '24h', '<none>']],
	[
		'Endpoints',
		{ subsets: [{ addresses: [{ ip: '1.1.1.1' }, { ip: '::1' }], ports: [{ port: 1 }, { port: 2 }] }] },
		['x', '1.1.1.1:1,[::1]:1,1.1.1.1:2 + 1 more...', '24h'],
	],
	[
		'EndpointSlice',
		{ addressType: 'IPv4', ports: [{ port: 1 }, { name: 'n' }, {}, { port: 4 }], endpoints: [] },
		['x', 'IPv4', '1,n,* + 1 more...', '<unset>', '24h'],
	],
	['EndpointSlice', { addressType: 'IPv4', ports: [{ name: '' }], endpoints: [] }, ['x', 'IPv4', '<unset>', '<unset>', '24h']],
	['Ingress', { spec: { ingressClassName: 'c', rules: [{ host: 'a' }, {}], tls: [{}] } }, ['x', 'c', 'a', '', '80, 443', '24h']],
	['IngressClass', { spec: { controller: 'c', parameters: { apiGroup: 'g', kind: 'K', name: 'n' } } }, ['x', 'c', 'K.g/n', '24h']],
	['NetworkPolicy', { spec: { podSelector: {} } }, ['x', '<none>', '24h']],
	['ServiceCIDR', { spec: { cidrs: ['10.0.0.0/24', 'fd00::/112'] } }, ['x', '10.0.0.0/24,fd00::/112', '24h']],
	['IPAddress', { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } }, ['x', 'services/n/s', '24h']],
	[
		'Node',
		{
			metadata: { ...metadata, labels: { 'node-role.kubernetes.io/b': '', 'kubernetes.io/role': 'a' } },
			spec: { unschedulable: true },
			status: {
				conditions: [{ type: 'Ready', status: 'Unknown' }],
				nodeInfo: { kubeletVersion: 'v1', architecture: 'amd64' },
				addresses: [{ type: 'InternalIP', address: '1.1.1.1' }],
			},
		},
		['x', 'NotReady,SchedulingDisabled', 'a,b', '24h', 'v1', '1.1.1.1', '<none>', '<unknown>', '<unknown> (amd64)', '<unknown>'],
	],
	['Namespace', { status: { phase: 'Active' } }, ['x', 'Active', '24h']],
	['ConfigMap', { data: { a: '' }, binaryData: { b: '' } }, ['x', 2, '24h']],
	['Secret', { type: 'Opaque', data: { a: '' } }, ['x', 'Opaque', 1, '24h']],
	['ServiceAccount', {}, ['x', '24h']],
	['Lease', { spec: { holderIdentity: 'h' } }, ['x', 'h', '24h']],
	['ComponentStatus', { conditions: [{ type: 'Healthy', status: 'Unknown', message: 'm', error: 'e' }] }, ['x', 'Unhealthy', 'm', 'e']],
	[
		'ResourceQuota',
		{ status: { hard: { 'requests.cpu': '2', pods: '1', 'limits.cpu': '3' }, used: { pods: '1' } } },
		['x', 'pods: 1/1, requests.cpu: 0/2', 'limits.cpu: 0/3', '24h'],
	],
	[
		'Event',
		{
			type: 'Normal',
			reason: 'R',
			message: ' m\n',
			involvedObject: { kind: 'Pod', name: 'p' },
			reportingComponent: 'c',
			reportingInstance: 'i',
			eventTime: '2026-01-01T23:59:00.000000Z',
			count: 3,
			series: { count: 4 },
		},
		['<unknown>', 'Normal', 'R', 'pod/p', '', 'c, i', 'm', '60s', 4, 'x'],
	],
	[
		'Event',
		{ source: { component: 's', host: 'h' }, involvedObject: { kind: 'Pod' }, firstTimestamp: '2026-01-01T23:59:00Z' },
		['60s', '', '', 'pod', '', 's, h', '', '60s', 1, 'x'],
	],
	[
		'PersistentVolume',
		{
			spec: {
				capacity: { storage: '1Gi' },
				accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
				persistentVolumeReclaimPolicy: 'Retain',
				claimRef: { namespace: 'n', name: 'c' },
				storageClassName: 's',
				volumeMode: 'Block',
			},
			status: { phase: 'Bound', reason: 'r' },
		},
		['x', '1Gi', 'RWO,RWX', 'Retain', 'Bound', 'n/c', 's', '<unset>', 'r', '24h', 'Block'],
	],
	[
		'PersistentVolume',
		{ spec: { persistentVolumeReclaimPolicy: 'Retain', claimRef: { name: 'c' } } },
		['x', '', '', 'Retain', '', '/c', '', '<unset>', '', '24h', '<unset>'],
	],
	[
		'PersistentVolumeClaim',
		{
			spec: { volumeName: 'v', storageClassName: 's' },
			status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOncePod'] },
		},
		['x', 'Bound', 'v', '1Gi', 'RWOP', 's', '<unset>', '24h', '<unset>'],
	],
	[
		'StorageClass',
		{ metadata: { ...metadata, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'p' },
		['x (default)', 'p', 'Delete', 'Immediate', false, '24h'],
	],
	['VolumeAttributesClass', { driverName: 'd' }, ['x', 'd', '24h']],
	[
		'VolumeAttachment',
		{ spec: { attacher: 'a', nodeName: 'n', source: {} }, status: { attached: true } },
		['x', 'a', '', 'n', true, '24h'],
	],
	['CSINode', { spec: { drivers: [{}] } }, ['x', 1, '24h']],
	[
		'CSIDriver',
		{ spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }] } },
		['x', true, false, false, 'a,b', false, '<none>', '24h'],
	],
	['PriorityClass', { value: 5, preemptionPolicy: 'Never' }, ['x', 5, false, '24h', 'Never']],
	['RuntimeClass', { handler: 'h' }, ['x', 'h', '24h']],
	['ResourceClaim', { status: { allocation: {}, reservedFor: [{}] } }, ['x', 'allocated,reserved', '24h']],
	['ResourceSlice', { spec: { driver: 'd', pool: { name: 'p' } } }, ['x', '', 'd', 'p', '24h']],
	[
		'RoleBinding',
		{
			roleRef: { kind: 'Role', name: 'r' },
			subjects: [
				{ kind: 'User', name: 'u' },
				{ kind: 'User', name: 'v' },
				{ kind: 'Group', name: 'g' },
				{ kind: 'ServiceAccount', namespace: 'n', name: 's' },
			],
		},
		['x', 'Role/r', '24h', 'u, v', 'g', 'n/s'],
	],
	[
		'CertificateSigningRequest',
		{
			spec: { signerName: 's', username: 'u', expirationSeconds: 3600 },
			status: { conditions: [{ type: 'Approved' }, { type: 'Failed' }], certificate: 'eA==' },
		},
		['x', '24h', 's', 'u', '60m', 'Approved,Failed,Issued'],
	],
	['MutatingWebhookConfiguration', { webhooks: [{}] }, ['x', 1, '24h']],
	['ValidatingAdmissionPolicy', { spec: { validations: [{}], paramKind: param } }, ['x', 1, 'v1/C', '24h']],
	['MutatingAdmissionPolicyBinding', { spec: { policyName: 'p', paramRef: { name: 'n' } } }, ['x', 'p', '*/n', '24h']],
	[
		'FlowSchema',
		{
			spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 5, distinguisherMethod: { type: 'ByUser' } },
			status: { conditions: [{ type: 'Dangling', status: 'False' }] },
		},
		['x', 'p', 5, 'ByUser', '24h', 'False'],
	],
	[
		'PriorityLevelConfiguration',
		{ spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } } },
		['x', 'Limited', 5, '<none>', '<none>', '<none>', '24h'],
	],
	['LimitRange', {}, ['x', '2026-01-01T00:00:00Z']],
];

for (const [i, [kind, object, cells]] of ROWS.entries())
	test(`a ${kind} in a table (${i})`, (t) => {
		t.deepEqual(rowOf(kind, { metadata, ...object } as never, NOW).cells, cells);
		// Upstream's addresses have an age that no column names.
		if (kind !== 'IPAddress') t.is(columnsOf(kind).length, cells.length);
	});

test('every kind has a row also of an object that says nothing, as bookmarks in a table do', (t) => {
	const bare = { metadata: { resourceVersion: '1' } };
	for (const resource of Object.values(RESOURCES))
		if ('kind' in resource) t.notThrows(() => rowOf(resource.kind, bare as never, NOW), resource.kind);
});
