import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateUpdate } from './validation.ts';

const META = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

const OF_CLUSTER = ['Namespace', 'Node', 'ValidatingAdmissionPolicy'];
const ofCluster = (kind: string): boolean => OF_CLUSTER.includes(kind);
const metaOf = (kind: string): object => (ofCluster(kind) ? { ...META, namespace: undefined } : { ...META });

function complaints(
	group: string,
	kind: string,
	status: object,
	old: object = {},
	spec: object = {},
	subresource = 'status',
): readonly string[] {
	const of = (part: object): KubeObject =>
		({ apiVersion: 'v1', kind, metadata: metaOf(kind), spec, status: part }) as unknown as KubeObject;
	return validateUpdate(group, 'v1', kind, of(status), of(old), !ofCluster(kind), subresource).map(
		({ field, message }) => `${field}: ${message}`,
	);
}

const IS_TRUE = (type: string): object => ({ type, status: 'True' });
const T1 = '2026-01-01T00:00:00Z';
const T0 = '2025-01-01T00:00:00Z';

for (const [rule, group, kind, status, old, spec, want] of [
	['counts within each other', 'apps', 'Deployment', { replicas: 2, readyReplicas: 1 }, {}, {}, []],
	[
		'an address twice',
		'',
		'Node',
		{ addresses: [{ type: '', address: 'a' }, { address: 'b' }, { address: 'a' }] },
		{},
		{},
		['status.addresses[2]: Duplicate value: {"Type":"","Address":"a"}'],
	],
	[
		'features out of order, twice, and badly named',
		'',
		'Node',
		{ declaredFeatures: ['B/c', 'A', 'A', 'C-'] },
		{},
		{},
		[
			'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
			'status.declaredFeatures[2]: Duplicate value: "A"',
			`status.declaredFeatures[3]: Invalid value: "C-": invalid feature name "C-": must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
		],
	],
	[
		'less of a node than nothing',
		'',
		'Node',
		{ capacity: { cpu: '-1' } },
		{},
		{},
		['status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0'],
	],
	[
		'a device for a request that nobody made, in use by somebody unnamed',
		'resource.k8s.io',
		'ResourceClaim',
		{
			allocation: { devices: { results: [{ request: 'b', driver: 'd', pool: 'p', device: 'x', bindingConditions: ['c'] }] } },
			reservedFor: [{ resource: 'pods', name: 'p' }],
		},
		{},
		{ devices: { requests: [{ name: 'a' }] } },
		[
			'status.reservedFor[0].uid: Required value',
			`status.allocation.devices.results[0].request: Invalid value: "b": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
			'status.allocation.devices.results[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
		],
	],
	[
		'what is said of a device that was not given',
		'resource.k8s.io',
		'ResourceClaim',
		{ devices: [{ driver: 'd', pool: 'p', device: 'x', networkData: { ips: ['1.2.3.4'] }, conditions: [IS_TRUE('C')] }] },
		{},
		{},
		[
			'status.devices[0]: Invalid value: {"Driver":"d","Pool":"p","Device":"x","ShareID":""}: must be an allocated device in the claim',
			'status.devices[0].conditions[0].lastTransitionTime: Required value',
			'status.devices[0].conditions[0].reason: Required value',
			'status.devices[0].networkData.ips[0]: Invalid value: "1.2.3.4": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
		],
	],
	[
		'users of a claim without devices',
		'resource.k8s.io',
		'ResourceClaim',
		{ reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] },
		{},
		{},
		['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
	],
	[
		'resizes of what is no storage, and in no known state',
		'',
		'PersistentVolumeClaim',
		{ capacity: { storage: '-1' }, allocatedResources: { cpu: '1' }, allocatedResourceStatuses: { storage: 'Soon' } },
		{},
		{ accessModes: ['ReadWriteOnce'] },
		[
			'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
			'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
			'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
		],
	],
	[
		'health of what a container did not ask for',
		'',
		'Pod',
		{
			containerStatuses: [
				{
					name: 'c',
					user: { linux: { uid: -1, gid: 0 } },
					allocatedResourcesStatus: [
						{
							name: 'x.io/d',
							resources: [
								{ resourceID: 'r', health: 'Fine' },
								{ resourceID: 'r', health: 'Healthy' },
							],
						},
					],
				},
			],
		},
		{},
		{ containers: [{ name: 'c' }] },
		[
			'status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
			'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "x.io/d": must match one of the container\'s resource requests',
			'status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health: Unsupported value: "Fine": supported values: "Healthy", "Unhealthy", "Unknown"',
			'status.containerStatuses[0].allocatedResourcesStatus[0].resources[1].resourceID: Duplicate value: "r"',
		],
	],
	[
		'a user of Linux in a pod of Windows',
		'',
		'Pod',
		{ containerStatuses: [{ name: 'c' }, { name: 'd', user: { linux: { uid: -1, gid: 0 } } }] },
		{},
		{ os: { name: 'windows' } },
		['status.containerStatuses[1].user.linux: Forbidden: cannot be set for a windows pod'],
	],
	[
		'a claim for extended resources that maps nothing',
		'',
		'Pod',
		{
			extendedResourceClaimStatus: {
				resourceClaimName: 'r',
				requestMappings: [{ containerName: 'c', resourceName: 'x.io/d', requestName: 'q' }],
			},
		},
		{},
		{ containers: [{ name: 'c' }] },
		[
			'status.extendedResourceClaimStatus.requestMappings[0].resourceName: Invalid value: "x.io/d": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
		],
	],
	[
		'conditions that say nothing, twice',
		'policy',
		'PodDisruptionBudget',
		{
			conditions: [
				{ ...IS_TRUE('A'), reason: 'R', lastTransitionTime: T1 },
				{ ...IS_TRUE('A'), reason: '-', lastTransitionTime: T1, status: 'Maybe' },
			],
		},
		{},
		{},
		[
			'status.conditions[1].type: Duplicate value: "A"',
			'status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
			`status.conditions[1].reason: Invalid value: "-": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
		],
	],
	[
		'a warning without a field',
		'admissionregistration.k8s.io',
		'ValidatingAdmissionPolicy',
		{ typeChecking: { expressionWarnings: [{ fieldRef: ' ', warning: 'w' }] } },
		{},
		{},
		['status.typeChecking.expressionWarnings[0].fieldRef: Required value'],
	],
	[
		'more ready than there are',
		'apps',
		'Deployment',
		{ replicas: 1, readyReplicas: 2 },
		{},
		{},
		['status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
	],
	[
		'a negative count',
		'apps',
		'ReplicaSet',
		{ readyReplicas: -1 },
		{},
		{},
		[
			'status.readyReplicas: Invalid value: -1: must be greater than or equal to 0',
			'status.availableReplicas: Invalid value: 0: cannot be greater than readyReplicas',
		],
	],
	[
		'a collision count that falls',
		'apps',
		'DaemonSet',
		{ collisionCount: 1 },
		{ collisionCount: 2 },
		{},
		['status.collisionCount: Invalid value: 1: cannot be decremented'],
	],
	[
		'a negative budget',
		'policy',
		'PodDisruptionBudget',
		{ disruptionsAllowed: -1 },
		{},
		{},
		['status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0'],
	],
	[
		'an address of a Service without balancer',
		'',
		'Service',
		{ loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
		{},
		{ type: 'ClusterIP' },
		["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
	],
	[
		'an address without its mode',
		'',
		'Service',
		{ loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
		{},
		{ type: 'LoadBalancer' },
		['status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set'],
	],
	[
		'a name that is an address',
		'networking.k8s.io',
		'Ingress',
		{ loadBalancer: { ingress: [{ hostname: '192.0.2.1' }] } },
		{},
		{},
		['status.loadBalancer.ingress[0].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address'],
	],
	[
		'a pod address that is none',
		'',
		'Pod',
		{ podIPs: [{ ip: 'x' }] },
		{},
		{},
		['status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
	],
	[
		'two addresses of one family',
		'',
		'Pod',
		{ podIPs: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }] },
		{},
		{},
		['status.podIPs: Invalid value: [{"IP":"192.0.2.1"},{"IP":"192.0.2.2"}]: may specify no more than one IP for each IP family'],
	],
	[
		'a container that comes back to life',
		'',
		'Pod',
		{ containerStatuses: [{ name: 'c', state: { running: {} } }] },
		{ containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] },
		{ restartPolicy: 'Never', containers: [{ name: 'c' }] },
		['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
	],
	[
		'one that may',
		'',
		'Pod',
		{ containerStatuses: [{ name: 'c', state: { running: {} } }] },
		{ containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 1 } } }] },
		{ restartPolicy: 'OnFailure', containers: [{ name: 'c' }] },
		[],
	],
	[
		'a namespace that says it goes',
		'',
		'Namespace',
		{ phase: 'Terminating' },
		{ phase: 'Active' },
		{},
		['status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'],
	],
	[
		'a job that completes as it should',
		'batch',
		'Job',
		{ conditions: [IS_TRUE('SuccessCriteriaMet'), IS_TRUE('Complete')], startTime: T0, completionTime: T1 },
		{ startTime: T0 },
		{},
		[],
	],
	[
		'a job that only says so',
		'batch',
		'Job',
		{ conditions: [IS_TRUE('Complete')] },
		{},
		{},
		[
			'status.completionTime: Required value: completionTime is required for Complete jobs',
			'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
			'status.startTime: Required value: startTime is required for finished job',
		],
	],
	[
		'a job that takes its end back',
		'batch',
		'Job',
		{ startTime: T0 },
		{ conditions: [IS_TRUE('FailureTarget')], startTime: T0 },
		{},
		['status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition'],
	],
	[
		'a job that ends with pods that nobody has counted, shown as Go names them',
		'batch',
		'Job',
		{
			conditions: [IS_TRUE('SuccessCriteriaMet'), IS_TRUE('Complete')],
			...{ startTime: T0, completionTime: T1, uncountedTerminatedPods: { failed: ['u'] } },
		},
		{ startTime: T0 },
		{},
		['status.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["u"]}: must be empty for finished job'],
	],
	[
		'counters that fall',
		'batch',
		'Job',
		{ failed: 1, succeeded: 1 },
		{ failed: 2, succeeded: 2 },
		{},
		[
			'status.failed: Invalid value: 1: cannot decrease the failed counter',
			'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
		],
	],
] as const)
	test(`status of a ${kind}: ${rule}`, (t) => t.deepEqual(complaints(group, kind, status, old, spec), want));

test('ephemeral containers: of a static pod nothing else is said', (t) => {
	const annotations = { 'kubernetes.io/config.mirror': 'x' };
	const old = { metadata: { name: 'a', namespace: 'n', resourceVersion: '1', annotations }, spec: {} } as KubeObject;
	const found = validateUpdate(
		'',
		'v1',
		'Pod',
		{ ...old, spec: { ephemeralContainers: [{}] } } as KubeObject,
		old,
		true,
		'ephemeralcontainers',
	);
	t.deepEqual(
		found.map(({ field, message }) => `${field}: ${message}`),
		['[]: Forbidden: static pods do not support ephemeral containers'],
	);
});

test('finalizers of a namespace are standard or qualified', (t) => {
	t.deepEqual(complaints('', 'Namespace', {}, {}, { finalizers: ['zork', 'a.b/c', 'kubernetes'] }, 'finalize'), [
		'spec.finalizers[0]: Invalid value: "zork": name is neither a standard finalizer name nor is it fully qualified',
	]);
});
