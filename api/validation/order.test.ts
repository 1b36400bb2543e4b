import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateCreate } from './validation.ts';

const metadata = { name: 'a', namespace: 'n' };
const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const podSpec = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' };
const pod = (spec: object): object => ({ metadata, spec: { ...podSpec, ...spec } });
const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
const daemons = (rollingUpdate: object): object => ({
	metadata,
	spec: { selector: { matchLabels: { a: 'b' } }, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
});
const cronJob = (spec: object): object => ({
	metadata,
	spec: {
		...{ schedule: '* * * * *', concurrencyPolicy: 'Allow' },
		jobTemplate: { spec: { template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } }, ...spec } },
	},
});
const PERCENT =
	"a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const SUBDOMAIN =
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

for (const [name, group, kind, object, want] of [
	[
		'a portion over all comes before what it must not stand beside',
		'apps',
		'DaemonSet',
		daemons({ maxUnavailable: 1, maxSurge: '150%' }),
		[
			'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "150%": must not be greater than 100%',
			'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "150%": may not be set when maxUnavailable is non-zero',
		],
	],
	[
		'the name of a driver’s secret is told of without the reference it is in',
		'',
		'Pod',
		pod({ volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'B_' } } }] }),
		[`spec.volumes[0].csi.name: Invalid value: "B_": ${SUBDOMAIN}`],
	],
	[
		'what is only preferred of a node may be no value of a label',
		'',
		'Pod',
		pod({
			affinity: {
				nodeAffinity: {
					preferredDuringSchedulingIgnoredDuringExecution: [
						{ weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x y'] }] } },
					],
				},
			},
		}),
		[],
	],
	[
		'a static pod claims nothing, whatever else is wrong with the claims',
		'',
		'Pod',
		{
			...pod({ nodeName: 'n', resourceClaims: [{ name: 'x' }, { name: 'x' }] }),
			metadata: { ...metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } },
		},
		['[]: Forbidden: static pods do not support resource claims', '[]: Forbidden: static pods do not support resource claims'],
	],
	[
		'a missing type of a profile comes before what it must not have',
		'',
		'Pod',
		pod({ securityContext: { seccompProfile: { type: '', localhostProfile: 'x' } } }),
		[
			'spec.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
			'spec.securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"","LocalhostProfile":"x"}: can only be set when seccomp type is Localhost',
		],
	],
	[
		'without a type nothing else is said of an AppArmor profile',
		'',
		'Pod',
		pod({ securityContext: { appArmorProfile: { localhostProfile: 'x' } } }),
		['spec.securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set'],
	],
	[
		"an image's reference is its volume's, and stands before the name",
		'',
		'Pod',
		pod({ volumes: [{ name: '', image: { pullPolicy: 'Always' } }] }),
		['spec.volumes[0].image.reference: Required value', 'spec.volumes[0].name: Required value'],
	],
	[
		'what is no percentage counts as nothing',
		'apps',
		'DaemonSet',
		daemons({ maxUnavailable: 'x', maxSurge: 0 }),
		[
			`spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "x": ${PERCENT}`,
			'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
		],
	],
	[
		"a CronJob's jobs without a mode are not indexed",
		'batch',
		'CronJob',
		cronJob({ backoffLimitPerIndex: 5, managedBy: '../x' }),
		[
			`spec.jobTemplate.spec.managedBy: Invalid value: "..": ${SUBDOMAIN}`,
			'spec.jobTemplate.spec.backoffLimitPerIndex: Invalid value: 5: requires indexed completion mode',
		],
	],
	[
		'a backend that is a resource, and a host that is an address',
		'networking.k8s.io',
		'Ingress',
		{ metadata, spec: { defaultBackend: { resource: { apiGroup: '../x', kind: 'a/b', name: 'n' } }, rules: [{ host: '::1' }] } },
		[
			`spec.defaultBackend.resource.apiGroup: Invalid value: "../x": ${SUBDOMAIN}`,
			'spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain \'/\'',
			'spec.rules[0].host: Invalid value: "::1": must be a DNS name, not an IP address',
			`spec.rules[0].host: Invalid value: "::1": ${SUBDOMAIN}`,
		],
	],
	[
		'ports of a slice come before its endpoints',
		'discovery.k8s.io',
		'EndpointSlice',
		{ metadata, addressType: 'IPv4', endpoints: [{ addresses: [] }], ports: [{ protocol: 'a<b' }] },
		[
			'ports[0].protocol: Unsupported value: "a\\u003cb": supported values: "SCTP", "TCP", "UDP"',
			'endpoints[0].addresses: Required value: must contain at least 1 address',
		],
	],
	[
		"a node's ranges come last",
		'',
		'Node',
		{ metadata: { name: 'm' }, spec: { podCIDRs: ['x'] }, status: { capacity: { cpu: '-1' } } },
		[
			'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
			'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
		],
	],
	[
		'tokens and lifecycles of a driver come before its period',
		'storage.k8s.io',
		'CSIDriver',
		{
			metadata: { name: 'm' },
			spec: { nodeAllocatableUpdatePeriodSeconds: 1, tokenRequests: [{ audience: '', expirationSeconds: 1 }], volumeLifecycleModes: ['x'] },
		},
		[
			'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
			'spec.volumeLifecycleModes: Unsupported value: "x": supported values: "Persistent", "Ephemeral"',
			'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 1: must be greater than or equal to 10 seconds',
		],
	],
] as const)
	test(`validateCreate(): ${name}`, (t) => {
		const found = validateCreate(group, 'v1', kind, object as unknown as KubeObject, true);
		t.deepEqual(
			found.map(({ field, message }) => `${field}: ${message}`),
			want as unknown as string[],
		);
	});
