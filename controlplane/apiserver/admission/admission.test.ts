import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { RbacAuthorizer } from '../authz/rbac.ts';
import { RbacIndex } from '../authz/rbac-index.ts';
import type { AdmissionAttributes, ObjectReader, UserInfo } from '../contracts.ts';
import { Kinds } from '../registry/kinds.ts';
import { WebhookCaller } from '../webhook/caller.ts';
import { forbiddenNodeLabels } from './node-restriction-labels.ts';
import { admissionPlugins } from './plugins.ts';

const NEVER = new AbortController().signal;
type Stored = Readonly<Record<string, object>>;

/** "plural namespace/name" -> object. */
function reader(stored: Stored): ObjectReader {
	const of = (plural: string): readonly [string, KubeObject][] =>
		Object.entries(stored)
			.filter(([key]) => key.startsWith(`${plural} `))
			.map(([key, object]) => [key.slice(plural.length + 1), { metadata: { name: key.split(/[ /]/).at(-1) }, ...object } as KubeObject]);
	return {
		get: (resource, key) => of(resource.plural).find(([k]) => k === key)?.[1] as never,
		list: (resource, namespace) =>
			of(resource.plural)
				.filter(([k]) => namespace === undefined || k.startsWith(`${namespace}/`))
				.map(([, object]) => object) as never,
		onChange: () => ({ [Symbol.dispose]: () => {} }),
	};
}

const ADMIN: UserInfo = { name: 'admin', uid: '', groups: ['system:masters'], extra: {} };
const BASE: Stored = { 'namespaces n': {}, 'serviceaccounts n/default': {} };

interface Case {
	readonly stored?: Stored;
	readonly user?: UserInfo;
	readonly resource?: string;
	readonly group?: string;
	readonly kind?: string;
	readonly operation?: AdmissionAttributes['operation'];
	readonly old?: object;
	readonly namespace?: string;
	readonly subresource?: string;
}

/** Runs all plugins as the pipeline does: the object afterwards, or the refusal's text. */
async function admit(
	object: object | undefined,
	options: Case = {},
): Promise<{ readonly object: Record<string, unknown>; readonly warnings: readonly string[]; readonly refused?: string }> {
	const objects = reader({ ...BASE, ...options.stored });
	const rbac = new RbacAuthorizer(new RbacIndex(objects));
	const clock = new VirtualClock();
	const plugins = admissionPlugins({
		objects,
		writer: {
			change: async (resource, key, transform) => transform(objects.get(resource, key) as never),
			delete: () => Promise.reject(new Error('nothing is deleted here')),
		},
		authorizer: rbac,
		rbac,
		clock,
		kinds: new Kinds(),
		caller: new WebhookCaller({ objects, clock }),
		createNamespace: () => Promise.reject(new Error('nothing is made here')),
	});
	const warnings: string[] = [];
	const meta = (object as KubeObject | undefined)?.metadata;
	const attributes: AdmissionAttributes = {
		operation: options.operation ?? 'CREATE',
		user: options.user ?? ADMIN,
		group: options.group ?? '',
		version: 'v1',
		kind: options.kind ?? '',
		resource: options.resource ?? 'pods',
		subresource: options.subresource ?? '',
		namespace: options.namespace ?? 'n',
		name: meta?.name ?? 'a',
		object: structuredClone(object) as KubeObject | undefined,
		oldObject: options.old as KubeObject | undefined,
		options: {},
		dryRun: false,
		warn: (text) => void warnings.push(text),
	};
	try {
		for (const plugin of plugins) if (plugin.handles(attributes)) await plugin.mutate?.(attributes, NEVER);
		for (const plugin of plugins) if (plugin.handles(attributes)) await plugin.validate?.(attributes, NEVER);
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		return { object: {}, warnings, refused: error.message };
	}
	return { object: attributes.object as unknown as Record<string, unknown>, warnings };
}

const pod = (spec: object = {}, metadata: object = {}): object => ({
	metadata: { name: 'a', namespace: 'n', ...metadata },
	spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

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

const limits = (...items: object[]): Stored => ({ 'limitranges n/lr': { metadata: { namespace: 'n' }, spec: { limits: items } } });
const quota = (hard: object, used: object): Stored => ({
	'resourcequotas n/q': { metadata: { name: 'q', namespace: 'n' }, spec: { hard }, status: { hard, used } },
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
		'more than the limit',
		pod({ containers: [{ name: 'c', resources: { limits: { cpu: '3', memory: '3Gi' } } }] }),
		{ stored: limits({ type: 'Container', max: { cpu: '1', memory: '1Gi' } }, { type: 'Pod', max: { cpu: '1' } }) },
		'pods "a" is forbidden: [maximum cpu usage per Container is 1, but limit is 3, maximum memory usage per Container is 1Gi, but limit is 3Gi, maximum cpu usage per Pod is 1, but limit is 3]',
	],
	[
		'a ratio beyond the bound',
		pod({ containers: [{ name: 'c', resources: { requests: { cpu: '50m' }, limits: { cpu: '900m' } } }] }),
		{ stored: limits({ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }) },
		'pods "a" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 18.000000',
	],
	[
		'more than the quota leaves',
		pod({ containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] }),
		{ stored: quota({ pods: '5', 'requests.cpu': '3' }, { pods: '1', 'requests.cpu': '1500m' }) },
		'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=1500m, limited: requests.cpu=3',
	],
	['a quota that is not reached', pod(), { stored: quota({ pods: '5' }, { pods: '1' }) }, undefined],
	[
		'a quota nobody has counted',
		pod(),
		{ stored: quota({ pods: '5' }, {}) },
		'pods "a" is forbidden: status unknown for quota: q, resources: pods',
	],
	[
		'a quota on what is not stated',
		pod(),
		{ stored: quota({ 'limits.cpu': '5' }, { 'limits.cpu': '0' }) },
		'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: c',
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
	[
		'a role with rights its writer lacks',
		{ metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] },
		{ group: 'rbac.authorization.k8s.io', resource: 'roles', user: { name: 'u', uid: '', groups: ['g'], extra: {} } },
		'roles.rbac.authorization.k8s.io "r" is forbidden: user "u" (groups=["g"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
	],
] as const)
	test(`admission and ${name}`, async (t) => t.is((await admit(object, options as Case)).refused, want));

const classed = (name: string, size: string, metadata: object = {}): KubeObject =>
	({
		metadata: { name: 'c', namespace: 'n', ...metadata },
		spec: { storageClassName: name, resources: { requests: { storage: size } } },
		status: { phase: 'Bound' },
	}) as KubeObject;
const onNode = (generation: number, spec: object): KubeObject => pod({ nodeName: 'n1', ...spec }, { generation, labels: {} }) as KubeObject;
const asks = (resources: object): object => ({ containers: [{ name: 'c', image: 'i', resources }] });
const node = (status: object, labels: object = {}): Stored => ({ 'nodes n1': { metadata: { name: 'n1', labels }, status } });
const small = { requests: { cpu: '1', memory: '1Gi' } };
const NOT_GROWING =
	'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

const GROWS = { metadata: {}, allowVolumeExpansion: true };
const CLASSES = { 'storageclasses s': GROWS, 'storageclasses s2': GROWS, 'storageclasses t': { metadata: {} } };

for (const [name, object, old, want] of [
	['a claim that grows', classed('s', '2Gi'), classed('s', '1Gi'), undefined],
	['a claim of a class that is fixed', classed('t', '2Gi'), classed('t', '1Gi'), NOT_GROWING],
	[
		'a claim whose annotation names another class from now on',
		classed('s', '2Gi', { annotations: { 'volume.beta.kubernetes.io/storage-class': 's2' } }),
		classed('s', '1Gi'),
		NOT_GROWING,
	],
] as const)
	test(`resizing ${name}`, async (t) => {
		const how = { old, stored: CLASSES, resource: 'persistentvolumeclaims', operation: 'UPDATE' } as const;
		t.is((await admit(object, how)).refused, want);
	});

for (const [name, spec, stored, want] of [
	['within what the node has', asks(small), node({ allocatable: { cpu: '1', memory: '1Gi' } }), undefined],
	[
		'beyond what the node has',
		asks({ requests: { cpu: '1500m', memory: '2Gi' } }),
		node({ allocatable: { cpu: '1', memory: '1Gi' } }),
		'pods "a" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 1500, allocatable: 1000; memory, requested: 2147483648, allocatable: 1073741824',
	],
	['on a node that is gone', asks(small), {}, 'pods "a" is forbidden: node "n1" not found'],
	[
		'on Windows',
		asks(small),
		node({ allocatable: { cpu: '1', memory: '1Gi' } }, { 'kubernetes.io/os': 'windows' }),
		'pods "a" is forbidden: pod resize is only supported on linux nodes, node "n1" is "windows"',
	],
	[
		'of the pod as a whole, which the node cannot do',
		{ resources: small },
		node({ allocatable: { cpu: '1', memory: '1Gi' } }),
		'pods "a" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "n1"',
	],
	[
		'of the pod as a whole, which the node declares',
		{ resources: small },
		node({ allocatable: { cpu: '1', memory: '1Gi' }, declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling'] }),
		undefined,
	],
	[
		'of an init container',
		{ initContainers: [{ name: 'i', resources: small }] },
		node({ allocatable: { cpu: '1', memory: '1Gi' } }),
		'pods "a" is forbidden: pod update requires features InPlacePodVerticalScalingInitContainers which are not available on node "n1"',
	],
] as const)
	test(`resizing ${name}`, async (t) => {
		const [old, changed] = [{}, spec].map((own, i) => onNode(i, { initContainers: [{ name: 'i' }], ...own })) as [object, object];
		t.is((await admit(changed, { operation: 'UPDATE', subresource: 'resize', old, stored })).refused, want);
	});

const scoped = (scope: object, used: string): Stored => {
	const counted = { hard: { 'count/pods': '1', persistentvolumeclaims: '1' }, used: { 'count/pods': used, persistentvolumeclaims: used } };
	return { 'resourcequotas n/q': { metadata: { name: 'q', namespace: 'n' }, spec: { hard: counted.hard, ...scope }, status: counted } };
};
const attributed = (volumeAttributesClassName: string, currentVolumeAttributesClassName: string): KubeObject =>
	({
		metadata: { name: 'c', namespace: 'n' },
		spec: { volumeAttributesClassName },
		status: { currentVolumeAttributesClassName },
	}) as KubeObject;
const GOLD = { scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }] } };
const claimed = { resource: 'persistentvolumeclaims', operation: 'UPDATE' } as const;
const full = (kind: string, name: string): string =>
	`${kind} is forbidden: exceeded quota: q, requested: ${name}=1, used: ${name}=1, limited: ${name}=1`;
for (const [name, object, options, want] of [
	[
		'a pod that gets a deadline and one of those that have one',
		pod({ activeDeadlineSeconds: 5 }),
		{ operation: 'UPDATE', old: pod(), stored: scoped({ scopes: ['Terminating'] }, '1') },
		full('pods "a"', 'count/pods'),
	],
	[
		'a pod whose deadline comes sooner',
		pod({ activeDeadlineSeconds: 5 }),
		{ operation: 'UPDATE', old: pod({ activeDeadlineSeconds: 9 }), stored: scoped({ scopes: ['Terminating'] }, '1') },
		undefined,
	],
	[
		'a claim that comes to a class',
		attributed('gold', 'old'),
		{ ...claimed, old: attributed('old', 'old'), stored: scoped(GOLD, '1') },
		full('persistentvolumeclaims "c"', 'persistentvolumeclaims'),
	],
	[
		'a claim that is said to be of a class',
		attributed('old', 'gold'),
		{ ...claimed, subresource: 'status', old: attributed('old', 'old'), stored: scoped(GOLD, '1') },
		undefined,
	],
] as readonly (readonly [string, object, Case, string | undefined])[])
	test(`a quota and ${name}`, async (t) => t.is((await admit(object, options)).refused, want));

const bigger = { requests: { cpu: '2' }, limits: { cpu: '2' } };
for (const [name, options, want] of [
	[
		'beyond the limit',
		{ stored: limits({ type: 'Container', max: { cpu: '1' } }) },
		'maximum cpu usage per Container is 1, but limit is 2',
	],
	[
		'that is on its way out',
		{ stored: limits({ type: 'Container', max: { cpu: '1' } }), metadata: { deletionTimestamp: 'now' } },
		undefined,
	],
	[
		'beyond one of two ranges, of which the first tells',
		{
			stored: {
				...limits({ type: 'Pod', min: { cpu: '3' } }),
				'limitranges n/z': { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
			},
		},
		'minimum cpu usage per Pod is 3, but request is 2',
	],
] as const)
	test(`limits and the resizing of a pod ${name}`, async (t) => {
		const [old, changed] = [small, bigger].map((resources) =>
			pod({ nodeName: 'n1', ...asks(resources) }, 'metadata' in options ? options.metadata : {}),
		);
		const stored = { ...node({ allocatable: { cpu: '9', memory: '9Gi' } }), ...options.stored };
		const { refused } = await admit(changed, { operation: 'UPDATE', subresource: 'resize', old: old ?? {}, stored });
		t.is(refused, want === undefined ? undefined : `pods "a" is forbidden: ${want}`);
	});

const CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims', kind: 'ResourceClaim' };
for (const [name, request, labels, want] of [
	[
		'anywhere',
		{ exactly: { adminAccess: true } },
		{},
		'ResourceClaim.resource.k8s.io "c" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
	],
	['where it may be', { exactly: { adminAccess: true } }, { 'resource.kubernetes.io/admin-access': 'true' }, undefined],
	['for itself', { exactly: {} }, {}, undefined],
] as const)
	test(`a claim wants devices that others use ${name}`, async (t) => {
		const how = { stored: { 'namespaces n': { metadata: { name: 'n', labels } } }, ...CLAIMS };
		t.is((await admit({ metadata: { name: 'c' }, spec: { devices: { requests: [request] } } }, how)).refused, want);
	});

test('a pod takes the zone of the node it gets', async (t) => {
	const stored = node({}, { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'o' });
	const zone = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' };
	const binding = { metadata: { name: 'a', labels: { x: 'y' } }, target: { kind: 'Node', name: 'n1' } };
	t.deepEqual((await admit(binding, { stored, subresource: 'binding' })).object['metadata'], { name: 'a', labels: { x: 'y', ...zone } });
	const placed = (await admit(pod({ nodeName: 'n1' }), { stored })).object['metadata'] as { readonly labels: object };
	t.deepEqual(placed.labels, zone);
	t.deepEqual((await admit(pod(), { stored })).object['metadata'], { name: 'a', namespace: 'n' });
});

test('limits fill in what containers leave open, and say so', async (t) => {
	const { object } = await admit(pod(), {
		stored: limits({ type: 'Container', default: { cpu: '500m', memory: '256Mi' }, defaultRequest: { cpu: '100m', memory: '256Mi' } }),
	});
	t.deepEqual((object['metadata'] as { annotations: object }).annotations, {
		'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c',
	});
	t.deepEqual((object['spec'] as { containers: { resources: object }[] }).containers[0]?.resources, {
		limits: { cpu: '500m', memory: '256Mi' },
		requests: { cpu: '100m', memory: '256Mi' },
	});
});

test('a template that would be refused later is warned about', async (t) => {
	const deployment = { metadata: { name: 'd' }, spec: { template: { spec: { containers: [{ name: 'c' }], hostNetwork: true } } } };
	const { warnings } = await admit(deployment, { stored: enforce('baseline'), group: 'apps', resource: 'deployments' });
	t.deepEqual(warnings, ['would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)']);
});

test('a certificate request is the caller’s, whatever it says', async (t) => {
	const request = { metadata: { name: 'r' }, spec: { signerName: 'x.io/s', request: '', username: 'root', groups: ['system:masters'] } };
	const user = { name: 'u', uid: '1', groups: ['g'], extra: {} };
	const { object } = await admit(request, { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', namespace: '', user });
	t.deepEqual(object['spec'], { signerName: 'x.io/s', request: '', username: 'u', uid: '1', groups: ['g'] });
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
