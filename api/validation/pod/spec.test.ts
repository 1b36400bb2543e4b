import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate } from '../validation.ts';

const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const SPEC = { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30, serviceAccountName: 'd' };
const claim = (name: string): object => ({ name, persistentVolumeClaim: { claimName: name } });
const withContainer = (more: object): object => ({ containers: [{ ...container, ...more }] });

/** Field and text, without the form of names. */
function complaints(spec: object): string[] {
	const pod = { metadata: { name: 'p', namespace: 'n' }, spec: { ...SPEC, containers: [container], ...spec } } as unknown as KubeObject;
	return validateCreate('', 'v1', 'Pod', pod, true).map(({ field, message }) => `${field}: ${message.replace(/: a lowercase RFC.*/, '')}`);
}

const HOST_USERS = 'Forbidden: when `hostUsers` is false';
const windows = (runAsUserName: string): object => ({ securityContext: { windowsOptions: { runAsUserName } } });
const user = (name: string, why: string): string =>
	`spec.securityContext.windowsOptions.runAsUserName: Invalid value: ${JSON.stringify(name)}: runAsUserName${why}`;

for (const [rule, spec, want] of [
	[
		'a folder and a device may not be at one path',
		{
			volumes: [claim('a'), claim('b')],
			...withContainer({ volumeMounts: [{ name: 'a', mountPath: '/x' }], volumeDevices: [{ name: 'b', devicePath: '/x' }] }),
		},
		[
			'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/x": must not already exist as a path in volumeDevices',
			'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/x": must not already exist as a path in volumeMounts',
		],
	],
	[
		'claims without names are none to name',
		{ resourceClaims: [{ name: '', resourceClaimName: 'x' }], ...withContainer({ resources: { claims: [{ name: 'a' }] } }) },
		[
			'spec.resourceClaims[0].name: Required value',
			'spec.containers[0].resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
		],
	],
	[
		'users of their own and devices do not go together',
		{ hostUsers: false, volumes: [claim('a')], ...withContainer({ volumeDevices: [{ name: 'a', devicePath: '/x' }] }) },
		[`spec.containers[0].volumeDevices: ${HOST_USERS}`],
	],
	[
		'an init container without a name repeats one without a name',
		{ ...withContainer({ name: '' }), initContainers: [{ ...container, name: '' }] },
		[
			'spec.containers[0].name: Required value',
			'spec.initContainers[0].name: Required value',
			'spec.initContainers[0].name: Duplicate value: ""',
		],
	],
	[
		'a sysctl that is none is not told to be there twice',
		{ securityContext: { sysctls: [{ name: 'A', value: '1' }, { name: 'A', value: '1' }, { name: '' }, { name: '' }] } },
		[
			...[0, 1].map(
				(i) =>
					`spec.securityContext.sysctls[${i}].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
			),
			...[2, 3].map((i) => `spec.securityContext.sysctls[${i}].name: Required value`),
		],
	],
	[
		'of sysctls those that are named belong to the host, not all that begin so',
		{
			hostIPC: true,
			securityContext: { sysctls: ['kernel.semx', 'kernel.sem', 'kernel/shmmax', 'fs.mqueue.a', 'kernel.msgx'].map((name) => ({ name })) },
		},
		[1, 2, 3].map(
			(i) =>
				`spec.securityContext.sysctls[${i}].name: Invalid value: "${['', 'kernel.sem', 'kernel/shmmax', 'fs.mqueue.a'][i]}": may not be specified when 'hostIPC' is true`,
		),
	],
	[
		'the parts of a security context come in order',
		{
			securityContext: {
				...{ appArmorProfile: { type: 'x', localhostProfile: 'y' }, supplementalGroupsPolicy: 'x', seLinuxChangePolicy: 'x' },
				seccompProfile: { type: 'x', localhostProfile: 'y' },
			},
		},
		[
			'spec.securityContext.seccompProfile.type: Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
			'spec.securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"x","LocalhostProfile":"y"}: can only be set when seccomp type is Localhost',
			'spec.securityContext.appArmorProfile.type: Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
			'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "x": supported values: "Merge", "Strict"',
			'spec.securityContext.seLinuxChangePolicy: Unsupported value: "x": supported values: "Recursive"',
		],
	],
	['a user of Windows may be in a domain', windows('a.b-c\\d'), []],
	[
		'a domain is named as NetBios or DNS does',
		windows('a_very_long_domain\\d'),
		[user('a_very_long_domain\\d', "'s Domain doesn't match the NetBios nor the DNS format")],
	],
	[
		'all that is wrong with a user is told',
		windows(`${'d'.repeat(256)}\\${'@'.repeat(105)}`),
		[
			"'s Domain length must be under 256 characters",
			"'s Domain doesn't match the NetBios nor the DNS format",
			"'s User length must not be longer than 104 characters",
			'\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
		].map((why) => user(`${'d'.repeat(256)}\\${'@'.repeat(105)}`, why)),
	],
	[
		'namespaces of a term come before its keys',
		{
			affinity: {
				podAffinity: {
					requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', namespaces: ['A'], matchLabelKeys: ['a'] }],
				},
			},
		},
		[
			'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: "A"',
			'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
		],
	],
	[
		'a file of variables may be anywhere in its volume, and the volume is asked about last',
		{
			volumes: [claim('b')],
			...withContainer({
				env: [
					{ name: 'A', valueFrom: { fileKeyRef: { key: 'k', volumeName: 'a', path: '/x/..y' } } },
					{ name: 'B', valueFrom: { fileKeyRef: { key: 'k', volumeName: 'b', path: '../x' } } },
				],
			}),
			subdomain: 'A',
		},
		[
			'spec.containers[0].env[1].valueFrom.fileKeyRef.path: Invalid value: "../x": must not contain \'..\'',
			'spec.subdomain: Invalid value: "A"',
			'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "a"',
			'spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Invalid value: "b": referenced volume must be of type emptyDir',
		],
	],
	[
		'huge pages of no size divide nothing, and come after the limit',
		withContainer({ resources: { limits: { cpu: '1', 'hugepages-x': '2' }, requests: { cpu: '1', 'hugepages-x': '1' } } }),
		[
			'spec.containers[0].resources.limits[hugepages-x]: Invalid value: "2": 2 is not positive integer multiple of hugepages-x',
			'spec.containers[0].resources.requests: Invalid value: "1": must be equal to hugepages-x limit of 2',
			'spec.containers[0].resources.requests[hugepages-x]: Invalid value: "1": 1 is not positive integer multiple of hugepages-x',
		],
	],
] as const)
	test(`pods: ${rule}`, (t) => t.deepEqual(complaints(spec), [...want]));
