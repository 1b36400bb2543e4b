import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { createAuthority } from '../../../wire/tls/authority.ts';
import type { KubeObject } from '../../resource.ts';
import { warningsOnCreate, warningsOnUpdate } from './warnings.ts';

const pod = (spec: object, annotations: object = {}): KubeObject =>
	({ metadata: { name: 'a', annotations }, spec: { containers: [], ...spec } }) as KubeObject;
const of = (fields: object, metadata: object = { name: 'a' }): KubeObject => ({ metadata, ...fields }) as KubeObject;
const tcp = (port: object): object => ({ protocol: 'TCP', containerPort: 80, ...port });

for (const [rule, object, want] of [
	[
		'a name that is no label',
		of({ spec: { containers: [] } }, { name: 'a.b' }),
		[
			`metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]`,
		],
	],
	[
		'deprecated labels of nodes',
		pod({
			nodeSelector: { 'node-role.kubernetes.io/master': '' },
			affinity: {
				nodeAffinity: {
					preferredDuringSchedulingIgnoredDuringExecution: [
						{ weight: 1, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['-'] }] } },
					],
				},
			},
		}),
		[
			'spec.nodeSelector[node-role.kubernetes.io/master]: use "node-role.kubernetes.io/control-plane" instead',
			'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
			"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: - is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
		],
	],
	[
		'what stands twice, or is nameless',
		pod({
			hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }],
			imagePullSecrets: [{ name: 'a' }, {}, { name: 'a' }, {}],
		}),
		[
			'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
			'spec.imagePullSecrets[2].name: duplicate name "a"',
			'spec.imagePullSecrets[3].name: duplicate name ""',
			'spec.imagePullSecrets[1].name: invalid empty name ""',
			'spec.imagePullSecrets[3].name: invalid empty name ""',
		],
	],
	[
		'parts of bytes, and profiles in annotations',
		pod(
			{
				overhead: { memory: '1.5' },
				containers: [{ name: 'c', resources: { limits: { 'ephemeral-storage': '100m' }, requests: { memory: '1500m' } } }],
			},
			{
				'seccomp.security.alpha.kubernetes.io/pod': 'x',
				'container.seccomp.security.alpha.kubernetes.io/c': 'x',
				'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
			},
		),
		[
			'spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer',
			'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
			'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
			'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
			'spec.containers[0].resources.limits[ephemeral-storage]: fractional byte value "100m" is invalid, must be an integer',
		],
	],
	[
		'variables that hide others',
		pod({
			containers: [
				{
					name: 'c',
					env: [
						{ name: 'A', value: '1' },
						{ name: 'A', value: '$(A)2' },
						{ name: 'A', value: '$(A)' },
						{ name: 'A', valueFrom: {} },
					],
				},
			],
		}),
		[
			'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
			'spec.containers[0].env[3]: hides previous definition of "A", which may be dropped when using apply',
		],
	],
	[
		'ports that clash',
		pod({
			initContainers: [{ name: 'i', ports: [tcp({ name: 'web', hostIP: '1.1.1.1' })] }],
			containers: [
				{ name: 'c', ports: [tcp({ name: 'web', hostPort: 8080, hostIP: '1.1.1.1' }), tcp({ hostPort: 8080 }), tcp({ hostPort: 8080 })] },
			],
		}),
		[
			'spec.initContainers[0].ports[0]: hostIP set without hostPort: {Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}',
			'spec.containers[0].ports[0]: overlapping port definition with spec.initContainers[0].ports[0]',
			'spec.containers[0].ports[1]: overlapping port definition with spec.initContainers[0].ports[0]',
			'spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]',
			'spec.containers[0].ports[2]: overlapping port definition with spec.initContainers[0].ports[0]',
			'spec.containers[0].ports[2]: dangerously ambiguous port definition with spec.containers[0].ports[0]',
			'spec.containers[0].ports[2]: duplicate port definition with spec.containers[0].ports[1]',
			'spec.containers[0].ports[0]: duplicate port name "web" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]',
		],
	],
	[
		'files in each other',
		pod({
			volumes: [
				{ name: 'v', configMap: { name: 'm', items: [{ path: 'a/' }, { path: 'a/b' }, { path: 'a' }] } },
				{
					name: 'w',
					projected: {
						sources: [
							{ serviceAccountToken: { path: 'token' } },
							{},
							{ clusterTrustBundle: { signerName: 's', path: 'token' } },
							{ podCertificate: { keyPath: 'token/key' } },
						],
					},
				},
			],
		}),
		[
			'volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a"',
			'volume "v" (ConfigMap "m"): overlapping paths: "a" with "a"',
			'volume "v" (ConfigMap "m"): overlapping paths: "a" with "a/b"',
			'volume "w" (Projected) has no sources provided',
			'volume "w" (Projected): overlapping paths: "token" (ClusterTrustBundle "s") with "token" (ServiceAccountToken)',
			'volume "w" (Projected): overlapping paths: "token/key" (PodCertificate key) with "token" (ServiceAccountToken)',
			'volume "w" (Projected): overlapping paths: "token/key" (PodCertificate key) with "token" (ClusterTrustBundle "s")',
		],
	],
	[
		'addresses in odd forms',
		pod({ dnsConfig: { nameservers: ['FE80::1'] } }),
		['spec.dnsConfig.nameservers[0]: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")'],
	],
] as const)
	test(`a pod with ${rule}`, (t) => t.deepEqual(warningsOnCreate('', 'Pod', object), want));

const containers = [{ name: 'c' }];
const annotated = (ofPod?: object): object => ({
	metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' } },
	spec: { containers, terminationGracePeriodSeconds: -1, ...(ofPod === undefined ? {} : { securityContext: { appArmorProfile: ofPod } }) },
});
const APP_ARMOR =
	'spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead';
const GRACE = 'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1';

for (const [group, kind, object, old, want] of [
	['apps', 'Deployment', of({ spec: { template: annotated() } }), undefined, [APP_ARMOR, GRACE]],
	['apps', 'DaemonSet', of({ spec: { template: annotated({ type: 'RuntimeDefault' }) } }, { name: 'a.b' }), undefined, [GRACE]],
	[
		'apps',
		'ReplicaSet',
		of({ spec: { replicas: 2, template: annotated() } }, { generation: 2 }),
		of({ spec: { replicas: 1, template: annotated() } }, { generation: 1 }),
		[APP_ARMOR, GRACE],
	],
	['apps', 'ReplicaSet', of({ spec: { template: annotated() } }, { generation: 1 }), of({}, { generation: 1 }), []],
	[
		'',
		'ReplicationController',
		of({ spec: { template: { spec: { containers } } } }, { generation: 2 }),
		of({ spec: { template: annotated() } }, { generation: 1 }),
		[APP_ARMOR, GRACE],
	],
	[
		'apps',
		'StatefulSet',
		of({ spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '100m' } } } }], revisionHistoryLimit: -1 } }),
		of({}),
		[
			'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
			'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
		],
	],
	[
		'batch',
		'Job',
		of({ spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001, template: { spec: {} } } }),
		undefined,
		[
			'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
		],
	],
	[
		'batch',
		'CronJob',
		of({ spec: { schedule: 'TZ=UTC * * * * *' } }),
		of({}),
		[
			'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
		],
	],
	[
		'',
		'ResourceQuota',
		of({ spec: { hard: { cpu: '2', 'limits.cpu': '1', 'requests.storage': '1', 'limits.storage': '2' } } }),
		undefined,
		['ResourceQuota cpu (2) should be less than limits.cpu (1)'],
	],
	[
		'',
		'Service',
		of({ spec: { type: 'ClusterIP', clusterIP: 'None', sessionAffinity: 'ClientIP', externalIPs: ['1.1.1.1'] } }),
		undefined,
		['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
	],
	[
		'',
		'Service',
		of({ spec: { type: 'ExternalName', externalName: 'a', externalIPs: ['1.1.1.1'] } }),
		undefined,
		['spec.externalIPs is ignored when spec.type is "ExternalName"'],
	],
	[
		'networking.k8s.io',
		'Ingress',
		of({ spec: { ingressClassName: 'a' } }, { annotations: { 'kubernetes.io/ingress.class': 'a' } }),
		undefined,
		[],
	],
	[
		'discovery.k8s.io',
		'EndpointSlice',
		of({ addressType: 'FQDN', endpoints: [{ addresses: ['FE80::1'] }] }),
		of({}),
		['endpoints[0].addresses[0]: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")'],
	],
	[
		'',
		'ServiceAccount',
		of({}, { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } }),
		of({}, {}),
		[
			'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
		],
	],
	[
		'storage.k8s.io',
		'CSIStorageCapacity',
		of({ nodeTopology: { matchLabels: { 'beta.kubernetes.io/arch': 'a' } } }),
		undefined,
		['nodeTopology.matchLabels.beta.kubernetes.io/arch: deprecated since v1.14; use "kubernetes.io/arch" instead'],
	],
	[
		'',
		'PersistentVolume',
		of({ spec: { cephfs: {} } }, { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } }),
		undefined,
		[
			'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
			'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
		],
	],
	[
		'admissionregistration.k8s.io',
		'ValidatingWebhookConfiguration',
		of({}, { name: 'a.static.k8s.io', generation: 1 }),
		of({}, { name: 'a.static.k8s.io', generation: 1 }),
		[
			'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
		],
	],
] satisfies readonly (readonly [string, string, KubeObject, KubeObject | undefined, readonly string[]])[])
	test(`${kind} ${old === undefined ? 'made' : 'changed'}: ${want[0] ?? 'nothing to say'}`, (t) =>
		t.deepEqual(old === undefined ? warningsOnCreate(group, kind, object) : warningsOnUpdate(group, kind, object, old), want));

test('lists that are not there are none', (t) => {
	t.deepEqual(warningsOnCreate('discovery.k8s.io', 'EndpointSlice', of({ addressType: 'IPv4', endpoints: null })), []);
	t.deepEqual(warningsOnUpdate('', 'Endpoints', of({ subsets: null }), of({ subsets: null })), []);
});

test('the status of a pod and of a service tells of addresses in odd forms', (t) => {
	const status = { podIPs: [{ ip: 'FE80::1' }], loadBalancer: { ingress: [{ ip: 'FE80::1' }, {}] } };
	const text = 'IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")';
	t.deepEqual(warningsOnUpdate('', 'Pod', of({ status }), of({}), 'status'), [`status.podIPs[0].ip: ${text}`]);
	t.deepEqual(warningsOnUpdate('', 'Service', of({ status }), of({}), 'status'), [`status.loadBalancer.ingress[0]: ${text}`]);
});

test('the status of a validating policy tells of its name as the policy does', (t) => {
	const policy = of({}, { name: 'a.static.k8s.io' });
	const told = (subresource: string) =>
		warningsOnUpdate('admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', policy, policy, subresource);
	t.is(told('').length, 1);
	t.deepEqual(told('status'), told(''));
});

const { certPem: cert, keyPem: key } = await createAuthority({ commonName: 'a', days: 1 }, realClock);
const { keyPem: other } = await createAuthority({ commonName: 'b', days: 1 }, realClock);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

for (const [rule, crt, secret, want] of [
	['a pair', `chain\n${cert}${cert}`, `EC parameters\n${key}`, []],
	['nothing', '', '', ['tls: failed to find any PEM data in certificate input']],
	['no key', cert, 'x', ['tls: failed to find any PEM data in key input']],
	[
		'the two in each other’s place',
		key,
		cert,
		['tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'],
	],
	['a certificate twice', cert, cert, ['tls: found a certificate rather than a key in the PEM for the private key']],
	['a key of another kind', cert, rsa, ['tls: private key type does not match public key type']],
	['another key', cert, other, ['tls: private key does not match public key']],
	['a key that is none', cert, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', ['tls: failed to parse private key']],
	[
		'parameters alone',
		cert,
		'-----BEGIN EC PARAMETERS-----\nAAAA\n-----END EC PARAMETERS-----\n',
		[
			'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [EC PARAMETERS]',
		],
	],
] satisfies readonly (readonly [string, string, string, readonly string[]])[])
	test(`a secret for TLS with ${rule}`, (t) => {
		const data = { 'tls.crt': Buffer.from(crt).toString('base64'), 'tls.key': Buffer.from(secret).toString('base64') };
		const object = of({ type: 'kubernetes.io/tls', data });
		t.deepEqual(warningsOnCreate('', 'Secret', object), want);
		t.deepEqual(warningsOnUpdate('', 'Secret', object, object), want);
	});
