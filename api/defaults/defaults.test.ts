/** Defaults: representative answers of an upstream server, one case a rule. */
import test from 'ava';
import { decodeBody } from '../codec/codec.ts';

const pod = (spec: object): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec });
const service = (spec: object): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });

/** `path` into the defaulted object, and what stands there. */
const cases: readonly (readonly [rule: string, object: object, path: string, want: unknown])[] = [
	[
		'a pod',
		pod({ containers: [{ name: 'c', image: 'i' }] }),
		'spec',
		{
			containers: [
				{
					name: 'c',
					image: 'i',
					resources: {},
					terminationMessagePath: '/dev/termination-log',
					terminationMessagePolicy: 'File',
					imagePullPolicy: 'Always',
				},
			],
			restartPolicy: 'Always',
			terminationGracePeriodSeconds: 30,
			dnsPolicy: 'ClusterFirst',
			securityContext: {},
			schedulerName: 'default-scheduler',
			enableServiceLinks: true,
		},
	],
	['pull policy of a tag', pod({ containers: [{ name: 'c', image: 'r:5000/i:v1' }] }), 'spec.containers.0.imagePullPolicy', 'IfNotPresent'],
	['the old name of the service account', pod({ serviceAccountName: 'x', containers: [] }), 'spec.serviceAccount', 'x'],
	['the service account by its old name', pod({ serviceAccount: 'x', containers: [] }), 'spec.serviceAccountName', 'x'],
	...(
		[
			['latest, with a digest', `i:latest@sha256:${'0'.repeat(64)}`, 'Always'],
			['no image: two dots', 'a/b..c', 'IfNotPresent'],
			['no image: an upper-case path', 'x/A', 'IfNotPresent'],
			['a registry with a port', 'localhost:5000/a', 'Always'],
			['no image: an identifier', 'a'.repeat(64), 'IfNotPresent'],
		] as const
	).map(
		([what, image, policy]) =>
			[`pull policy of ${what}`, pod({ containers: [{ name: 'c', image }] }), 'spec.containers.0.imagePullPolicy', policy] as const,
	),
	['pull policy of latest', pod({ containers: [{ name: 'c', image: 'i:latest' }] }), 'spec.containers.0.imagePullPolicy', 'Always'],
	[
		'pull policy of a digest',
		pod({ containers: [{ name: 'c', image: `i@sha256:${'0'.repeat(64)}` }] }),
		'spec.containers.0.imagePullPolicy',
		'IfNotPresent',
	],
	[
		'requests from limits, rounded to thousandths',
		pod({ containers: [{ name: 'c', resources: { limits: { cpu: '0.0001' } } }] }),
		'spec.containers.0.resources',
		{ limits: { cpu: '1m' }, requests: { cpu: '1m' } },
	],
	['a volume without a source', pod({ volumes: [{ name: 'v' }] }), 'spec.volumes', [{ name: 'v', emptyDir: {} }]],
	[
		'host ports on the host network',
		pod({ hostNetwork: true, containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] }),
		'spec.containers.0.ports',
		[{ hostPort: 80, containerPort: 80, protocol: 'TCP' }],
	],
	[
		'a probe',
		pod({ containers: [{ name: 'c', livenessProbe: { httpGet: { port: 80 } } }] }),
		'spec.containers.0.livenessProbe',
		{ httpGet: { path: '/', port: 80, scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
	],
	[
		'a service',
		service({ ports: [{ port: 80 }] }),
		'spec',
		{
			ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
			type: 'ClusterIP',
			sessionAffinity: 'None',
			internalTrafficPolicy: 'Cluster',
		},
	],
	[
		'a service with session affinity',
		service({ sessionAffinity: 'ClientIP' }),
		'spec.sessionAffinityConfig',
		{ clientIP: { timeoutSeconds: 10800 } },
	],
	[
		'a load balancer',
		service({ type: 'LoadBalancer' }),
		'spec',
		{
			type: 'LoadBalancer',
			sessionAffinity: 'None',
			externalTrafficPolicy: 'Cluster',
			allocateLoadBalancerNodePorts: true,
			internalTrafficPolicy: 'Cluster',
		},
	],
	[
		'a deployment',
		{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: {} },
		'spec.strategy',
		{ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
	],
	[
		'a deployment that recreates',
		{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: { strategy: { type: 'Recreate' } } },
		'spec.strategy',
		{ type: 'Recreate' },
	],
	[
		'a daemon set that waits for deletions has no numbers',
		{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: {}, spec: { updateStrategy: { type: 'OnDelete' } } },
		'spec.updateStrategy',
		{ type: 'OnDelete' },
	],
	[
		'unless it has one, and then both',
		{
			apiVersion: 'apps/v1',
			kind: 'DaemonSet',
			metadata: {},
			spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: 1 } } },
		},
		'spec.updateStrategy',
		{ type: 'OnDelete', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
	],
	['a job', { apiVersion: 'batch/v1', kind: 'Job', metadata: {}, spec: { template: {} } }, 'spec.completions', 1],
	[
		'a job with parallelism',
		{ apiVersion: 'batch/v1', kind: 'Job', metadata: {}, spec: { parallelism: 3, template: {} } },
		'spec.completions',
		undefined,
	],
	[
		'a job by index',
		{ apiVersion: 'batch/v1', kind: 'Job', metadata: {}, spec: { backoffLimitPerIndex: 1, template: {} } },
		'spec.backoffLimit',
		2147483647,
	],
	[
		'a namespace',
		{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
		'metadata.labels',
		{ 'kubernetes.io/metadata.name': 'n' },
	],
	[
		'a role binding',
		{
			apiVersion: 'rbac.authorization.k8s.io/v1',
			kind: 'RoleBinding',
			metadata: {},
			roleRef: {},
			subjects: [
				{ kind: 'User', name: 'u' },
				{ kind: 'ServiceAccount', name: 's' },
			],
		},
		'subjects',
		[
			{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
			{ kind: 'ServiceAccount', name: 's' },
		],
	],
	[
		'a network policy with egress',
		{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: {}, spec: { egress: [{}] } },
		'spec.policyTypes',
		['Ingress', 'Egress'],
	],
];

for (const [rule, object, path, want] of cases)
	test(`defaults: ${rule}`, (t) => {
		const { apiVersion, kind } = object as { apiVersion: string; kind: string };
		const [version = '', group = ''] = apiVersion.split('/').toReversed();
		let found: unknown = decodeBody(
			Buffer.from(JSON.stringify(object)),
			'application/json',
			{ group, version, kind },
			{ strictness: 'Strict', warn: () => {} },
		);
		for (const key of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[key];
		t.deepEqual(found, want);
	});
