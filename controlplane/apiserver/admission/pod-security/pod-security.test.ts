import test from 'ava';
import type { Pod, PodSpec } from '../../../../api/gen/types.ts';
import { describeViolations, violations } from './evaluate.ts';
import { namespaceWarnings } from './namespace-check.ts';
import { levelText, policyOf } from './policy.ts';
import { isSignificant } from './significant.ts';

const P = 'pod-security.kubernetes.io/';

for (const [what, labels, enforce, warn, errors] of [
	['no label', {}, 'privileged:latest', 'privileged:latest', []],
	['a level: warnings follow it', { enforce: 'baseline' }, 'baseline:latest', 'baseline:latest', []],
	['a level with a version', { enforce: 'baseline', 'enforce-version': 'v1.25' }, 'baseline:v1.25', 'baseline:v1.25', []],
	['a warning level of its own', { enforce: 'restricted', warn: 'baseline' }, 'restricted:latest', 'baseline:latest', []],
	['a warning version of its own', { enforce: 'baseline', 'warn-version': 'v1.20' }, 'baseline:latest', 'baseline:v1.20', []],
	[
		'a level that is none',
		{ enforce: 'zork' },
		'restricted:latest',
		'privileged:latest',
		[`metadata.labels[${P}enforce]: Invalid value: "zork": must be one of privileged, baseline, restricted`],
	],
	[
		'a version that is none',
		{ 'enforce-version': '1.25' },
		'privileged:latest',
		'privileged:latest',
		[`metadata.labels[${P}enforce-version]: Invalid value: "1.25": must be "latest" or "v1.x"`],
	],
] as const)
	test(`the policy of a namespace with ${what}`, (t) => {
		const policy = policyOf(Object.fromEntries(Object.entries(labels).map(([key, value]) => [P + key, value])));
		t.deepEqual(
			[levelText(policy.enforce), levelText(policy.warn), policy.errors.map((e) => `${e.field}: ${e.message}`)],
			[enforce, warn, errors as readonly string[]],
		);
	});

const HARDENED = {
	allowPrivilegeEscalation: false,
	capabilities: { drop: ['ALL'] },
	runAsNonRoot: true,
	seccompProfile: { type: 'RuntimeDefault' },
};
const container = (securityContext: object, more: object = {}): object => ({ containers: [{ name: 'c', securityContext, ...more }] });

for (const [what, level, version, spec, annotations, want] of [
	['baseline allows what restricted does not', 'baseline', 'latest', container({ runAsUser: 0 }), {}, ''],
	[
		'a probe of another host, before it was looked at',
		'baseline',
		'v1.33',
		container({}, { livenessProbe: { httpGet: { host: 'h' } } }),
		{},
		'',
	],
	[
		'a sysctl that became safe later',
		'baseline',
		'v1.28',
		{ containers: [], securityContext: { sysctls: [{ name: 'net.ipv4.tcp_keepalive_time' }] } },
		{},
		'PodSecurity "baseline:v1.28": forbidden sysctls (net.ipv4.tcp_keepalive_time)',
	],
	[
		'a sysctl that is safe by now',
		'baseline',
		'latest',
		{ containers: [], securityContext: { sysctls: [{ name: 'net.ipv4.tcp_keepalive_time' }] } },
		{},
		'',
	],
	[
		'an SELinux type that became fine later',
		'baseline',
		'v1.30',
		container({ seLinuxOptions: { type: 'container_engine_t' } }),
		{},
		'PodSecurity "baseline:v1.30": seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
	],
	['an unmasked /proc in a user namespace', 'baseline', 'latest', { ...container({ procMount: 'Unmasked' }), hostUsers: false }, {}, ''],
	[
		'an unmasked /proc in a user namespace, as it was',
		'baseline',
		'v1.34',
		{ ...container({ procMount: 'Unmasked' }), hostUsers: false },
		{},
		'PodSecurity "baseline:v1.34": procMount (container "c" must not set securityContext.procMount to "Unmasked")',
	],
	[
		'a profile in an annotation',
		'baseline',
		'latest',
		container({}),
		{ 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
		'PodSecurity "baseline:latest": forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
	],
	[
		'root in a user namespace, before that was let be',
		'restricted',
		'v1.34',
		{ ...container({ ...HARDENED, runAsNonRoot: undefined, runAsUser: 0 }), hostUsers: false },
		{},
		'PodSecurity "restricted:v1.34": runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), runAsUser=0 (container "c" must not set runAsUser=0)',
	],
	[
		'root in a user namespace',
		'restricted',
		'v1.35',
		{ ...container({ ...HARDENED, runAsNonRoot: undefined, runAsUser: 0 }), hostUsers: false },
		{},
		'',
	],
	[
		'ports of the node, in the order of their text',
		'baseline',
		'latest',
		container({}, { ports: [{ hostPort: 9 }, { hostPort: 10 }] }),
		{},
		'PodSecurity "baseline:latest": hostPort (container "c" uses hostPorts 10, 9)',
	],
	[
		'a probe of the loopback address',
		'baseline',
		'latest',
		{ containers: [{ name: 'c', readinessProbe: { tcpSocket: { host: '127.0.0.1', port: 1 } } }] },
		{},
		'PodSecurity "baseline:latest": probe or lifecycle host (container "c" uses probe or lifecycle host "127.0.0.1")',
	],
	[
		'probes of other hosts, with the containers in the order of their names',
		'baseline',
		'latest',
		{ containers: ['b', 'a'].map((name) => ({ name, livenessProbe: { tcpSocket: { host: name } } })) },
		{},
		'PodSecurity "baseline:latest": probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "a", "b")',
	],
	[
		'an old seccomp annotation under an old policy',
		'baseline',
		'v1.18',
		container({}),
		{ 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
		'PodSecurity "baseline:v1.18": seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
	],
] as const)
	test(`pod security: ${what}`, (t) => {
		const found = violations({ annotations: annotations as Record<string, string> }, spec as unknown as PodSpec, { level, version });
		t.is(found.length === 0 ? '' : describeViolations(found, { level, version }), want);
	});

test('a namespace that becomes stricter is told which pods would not pass, together where they fail alike', (t) => {
	const pod = (name: string, spec: object): Pod => ({ metadata: { name }, spec: spec as PodSpec });
	const bad = container({ privileged: true });
	const pods = [pod('b', bad), pod('a', bad), pod('c', { ...bad, hostPID: true }), pod('d', container({}))];
	t.deepEqual(
		namespaceWarnings('n', pods, { level: 'baseline', version: 'latest' }, () => false),
		[
			'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
			'a (and 1 other pod): privileged',
			'c: host namespaces, privileged',
		],
	);
});

test('of many pods one of each controller is looked at first, and exempt ones are not counted', (t) => {
	const owned = (name: string, uid: string, spec = container({})): Pod => ({
		metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'ReplicationController', name: uid, uid, controller: true }] },
		spec: spec as PodSpec,
	});
	const exempt = owned('exempt', 'e', container({ privileged: true }));
	const pods = [exempt, ...Array.from({ length: 3000 }, (_, i) => owned(`a${i}`, 'a')), owned('b', 'b', container({ privileged: true }))];
	t.deepEqual(
		namespaceWarnings('n', pods, { level: 'baseline', version: 'latest' }, (pod) => pod === exempt),
		[
			'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
			'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
			'b: privileged',
		],
	);
});

for (const [what, before, after, want] of [
	['another image', { containers: [{ name: 'c', image: 'a' }] }, { containers: [{ name: 'c', image: 'b' }] }, true],
	['a new ephemeral container', { containers: [] }, { containers: [], ephemeralContainers: [{ name: 'e' }] }, true],
	['a deadline', { containers: [] }, { containers: [], activeDeadlineSeconds: 3 }, false],
] as const)
	test(`a pod with ${what} is ${want ? '' : 'not '}looked at again`, (t) =>
		t.is(isSignificant({ metadata: {}, spec: after as never }, { metadata: {}, spec: before as never }), want));

test('an annotation of a pod that runs does not make it be looked at again', (t) => {
	const pod = (annotations: Record<string, string>): Pod => ({
		metadata: { annotations },
		spec: { containers: [{ name: 'c', image: 'i' }] },
	});
	t.false(isSignificant(pod({ 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' }), pod({})));
});
