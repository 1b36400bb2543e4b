/** What limit ranges, quotas and nodes say to amounts: of what is made, of what grows, and of what comes into a quota's scope. */
import test from 'ava';
import type { KubeObject } from '../../../../api/resource.ts';
import { admit, podOf as pod, type Stored, type Write } from '../../../../test/fakes/admission-pipeline.ts';

const limits = (...items: object[]): Stored => ({ 'limitranges n/lr': { metadata: { namespace: 'n' }, spec: { limits: items } } });
const quota = (hard: object, used: object): Stored => ({
	'resourcequotas n/q': { metadata: { name: 'q', namespace: 'n' }, spec: { hard }, status: { hard, used } },
});

for (const [name, object, stored, want] of [
	[
		'more than the limit',
		pod({ containers: [{ name: 'c', resources: { limits: { cpu: '3', memory: '3Gi' } } }] }),
		limits({ type: 'Container', max: { cpu: '1', memory: '1Gi' } }, { type: 'Pod', max: { cpu: '1' } }),
		'pods "a" is forbidden: [maximum cpu usage per Container is 1, but limit is 3, maximum memory usage per Container is 1Gi, but limit is 3Gi, maximum cpu usage per Pod is 1, but limit is 3]',
	],
	[
		'a ratio beyond the bound',
		pod({ containers: [{ name: 'c', resources: { requests: { cpu: '50m' }, limits: { cpu: '900m' } } }] }),
		limits({ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }),
		'pods "a" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 18.000000',
	],
	[
		'more than the quota leaves',
		pod({ containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] }),
		quota({ pods: '5', 'requests.cpu': '3' }, { pods: '1', 'requests.cpu': '1500m' }),
		'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=1500m, limited: requests.cpu=3',
	],
	['a quota that is not reached', pod(), quota({ pods: '5' }, { pods: '1' }), undefined],
	['a quota nobody has counted', pod(), quota({ pods: '5' }, {}), 'pods "a" is forbidden: status unknown for quota: q, resources: pods'],
	[
		'a quota on what is not stated',
		pod(),
		quota({ 'limits.cpu': '5' }, { 'limits.cpu': '0' }),
		'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: c',
	],
] as const)
	test(`admission and ${name}`, async (t) => t.is((await admit(object, { stored })).refused, want));

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
] as readonly (readonly [string, object, Write, string | undefined])[])
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
