import test from 'ava';
import { admit, podOf as pod, type Stored, type Write } from '../../../test/fakes/admission-pipeline.ts';
import type { UserInfo } from '../contracts.ts';
import { forbiddenNodeLabels } from './nodes/node-restriction-labels.ts';

test('a plain pod gets its account, token, tolerations and priority', async (t) => {
	const { object } = await admit(pod());
	const spec = object['spec'] as Record<string, unknown> & {
		volumes: { name: string }[];
		containers: { volumeMounts: object[] }[];
		tolerations: object[];
	};
	t.is(spec['serviceAccountName'], 'default');
	t.regex(spec.volumes[0]?.name ?? '', /^kube-api-access-[a-z0-9]{5}$/);
	t.deepEqual(spec.containers[0]?.volumeMounts, [
		{ name: spec.volumes[0]?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
	]);
	t.is(spec.tolerations.length, 2);
	t.is(spec['priority'], 0);
	t.is(spec['preemptionPolicy'], 'PreemptLowerPriority');
});

const kubelet: UserInfo = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const enforce = (level: string): Stored => ({
	'namespaces n': { metadata: { name: 'n', labels: { 'pod-security.kubernetes.io/enforce': level } } },
});

for (const [name, object, options, want] of [
	['a namespace that is missing', pod(), { namespace: 'x' }, 'namespaces "x" not found'],
	[
		'a namespace that is going away',
		pod(),
		{ stored: { 'namespaces n': { status: { phase: 'Terminating' } } } },
		'pods "a" is forbidden: unable to create new content in namespace n because it is being terminated',
	],
	[
		'an account that is missing',
		pod({ serviceAccountName: 'zz' }),
		{},
		'pods "a" is forbidden: error looking up service account n/zz: serviceaccount "zz" not found',
	],
	[
		'a mirror pod with an account',
		pod({ serviceAccountName: 'default' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
		{},
		'pods "a" is forbidden: a mirror pod may not reference service accounts',
	],
	[
		'a priority class that is missing',
		pod({ priorityClassName: 'x' }),
		{},
		'pods "a" is forbidden: no PriorityClass with name x was found',
	],
	[
		'a priority of its own',
		pod({ priority: 5 }),
		{},
		'pods "a" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
	],
	[
		'a privileged pod under baseline',
		pod({ containers: [{ name: 'c', securityContext: { privileged: true } }] }),
		{ stored: enforce('baseline') },
		'pods "a" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)',
	],
	['the default namespace', undefined, { resource: 'namespaces', operation: 'DELETE', old: {} }, undefined],
	[
		'a kubelet’s ordinary pod',
		pod(),
		{ user: kubelet },
		'pods "a" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
	],
] as const)
	test(`admission and ${name}`, async (t) => t.is((await admit(object, options as Write)).refused, want));

for (const [what, operation, name, want] of [
	['another one', 'CREATE', 'b', 'already'],
	['the same one anew', 'CREATE', 'a', 'already'],
	['the same one', 'UPDATE', 'a', undefined],
	['another one by an update', 'UPDATE', 'b', 'already'],
] as const)
	test(`a second default class is refused: ${what}`, async (t) => {
		const one = (called: string) => ({ metadata: { name: called }, value: 7, globalDefault: true });
		const how = {
			stored: { 'priorityclasses a': one('a') },
			group: 'scheduling.k8s.io',
			resource: 'priorityclasses',
			kind: 'PriorityClass',
		};
		const { refused } = await admit(one(name), {
			...how,
			operation,
			...(operation === 'UPDATE' ? { old: { ...one(name), globalDefault: false } } : {}),
		});
		const why = `priorityclasses.scheduling.k8s.io "${name}" is forbidden: PriorityClass a is already marked as default. Only one default can exist`;
		t.is(refused, want === undefined ? undefined : why);
	});

test('a pod takes the zone of the node it gets', async (t) => {
	const zone = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' };
	const stored = { 'nodes n1': { metadata: { name: 'n1', labels: { ...zone, other: 'o' } } } };
	const binding = { metadata: { name: 'a', labels: { x: 'y' } }, target: { kind: 'Node', name: 'n1' } };
	t.deepEqual((await admit(binding, { stored, subresource: 'binding' })).object['metadata'], { name: 'a', labels: { x: 'y', ...zone } });
	const placed = (await admit(pod({ nodeName: 'n1' }), { stored })).object['metadata'] as { readonly labels: object };
	t.deepEqual(placed.labels, zone);
	t.deepEqual((await admit(pod(), { stored })).object['metadata'], { name: 'a', namespace: 'n' });
});

test('a template that would be refused later is warned about', async (t) => {
	const deployment = { metadata: { name: 'd' }, spec: { template: { spec: { containers: [{ name: 'c' }], hostNetwork: true } } } };
	const { warnings } = await admit(deployment, { stored: enforce('baseline'), group: 'apps', resource: 'deployments' });
	t.deepEqual(warnings, ['would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)']);
});

for (const [key, allowed] of [
	['a', true],
	['kubernetes.io/hostname', true],
	['node-restriction.kubernetes.io/x', false],
	['x.node-restriction.kubernetes.io/x', false],
	['node-role.kubernetes.io/control-plane', false],
	['x.kubelet.kubernetes.io/y', true],
	['example.com/x', true],
] as const)
	test(`a kubelet and its node's label ${key}`, (t) => t.is(forbiddenNodeLabels({ [key]: 'v' }, {}).length === 0, allowed));

const NODE: UserInfo = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const CSI: Stored = {
	'csidrivers d.io': { spec: { tokenRequests: [{ audience: 'csi' }] } },
	'persistentvolumes v': { spec: { csi: { driver: 'd.io' } } },
	'persistentvolumeclaims n/c': { spec: { volumeName: 'v' } },
	'persistentvolumeclaims n/unbound': { spec: {} },
	'clusterroles special': {
		rules: [{ verbs: ['request-serviceaccounts-token-audience'], apiGroups: [''], resources: ['special'], resourceNames: ['default'] }],
	},
	'clusterrolebindings special': {
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'special' },
		subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:nodes' }],
	},
};
const projected = (audience?: string): object => ({
	name: 't',
	projected: { sources: [{ serviceAccountToken: { path: 't', audience } }] },
});
const NOT_FOUND = (audience: string): string =>
	`audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`;
for (const [what, volume, audiences, refused] of [
	['its own token', projected(), [], undefined],
	['its own token, of audiences that were null', projected(), null, undefined],
	['a token of none', { name: 'e', emptyDir: {} }, [], NOT_FOUND('')],
	['an audience that a volume names', projected('vault'), ['vault'], undefined],
	['another audience', projected('vault'), ['other'], NOT_FOUND('other')],
	['two audiences', projected('vault'), ['vault', 'other'], 'node may only request 0 or 1 audiences'],
	['the audience of a CSI driver', { name: 'v', csi: { driver: 'd.io' } }, ['csi'], undefined],
	['the audience of the driver behind a claim', { name: 'v', persistentVolumeClaim: { claimName: 'c' } }, ['csi'], undefined],
	[
		'an audience when a driver is not known',
		{ name: 'v', csi: { driver: 'e.io' } },
		['x'],
		'error validating audience "x": csidriver.storage.k8s.io "e.io" not found',
	],
	[
		'an audience when a claim is not bound',
		{ name: 'v', persistentVolumeClaim: { claimName: 'unbound' } },
		['x'],
		'error validating audience "x": persistentvolume "" not found',
	],
	[
		'an audience when an ephemeral claim is not there',
		{ name: 'v', ephemeral: {} },
		['x'],
		'error validating audience "x": persistentvolumeclaim "p-v" not found',
	],
	['an audience that a role allows', { name: 'e', emptyDir: {} }, ['special'], undefined],
] as const)
	test(`a kubelet asks for ${what}`, async (t) => {
		const bound = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { nodeName: 'n1', volumes: [volume] } };
		const spec = { audiences, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'u' } };
		const options = { user: NODE, resource: 'serviceaccounts', subresource: 'token', stored: { ...CSI, 'pods n/p': bound } };
		const answer = await admit({ metadata: { name: 'default', namespace: 'n' }, spec }, options);
		t.is(answer.refused, refused === undefined ? undefined : `serviceaccounts "default" is forbidden: ${refused}`);
	});
