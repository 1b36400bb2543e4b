import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate, validateUpdate } from '../validation.ts';

const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const SPEC = {
	containers: [container],
	restartPolicy: 'Always',
	dnsPolicy: 'ClusterFirst',
	terminationGracePeriodSeconds: 30,
	serviceAccountName: 'd',
};
const labels = { a: 'b' };

type Make = (spec: object, image?: string, annotations?: object) => KubeObject;

/** Updates change the image, which may change. */
const imaged = (spec: object, image: string): { readonly containers: readonly object[] } => {
	const whole = { ...SPEC, ...spec };
	return { ...whole, containers: whole.containers.map((one) => ({ ...one, image })) };
};
const meta = { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const pod: Make = (spec, image = 'i', annotations = {}) =>
	({ kind: 'Pod', metadata: { ...meta, annotations }, spec: imaged(spec, image) }) as unknown as KubeObject;
const owner =
	(more: object): Make =>
	(spec, image = 'i', annotations = {}) =>
		({
			metadata: meta,
			spec: { ...more, template: { metadata: { labels, annotations }, spec: imaged(spec, image) } },
		}) as unknown as KubeObject;
const selector = { matchLabels: labels };
const deployment = owner({ selector, strategy: { type: 'Recreate' } });
const statefulSet = owner({ selector, podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } });
const daemonSet = owner({ selector, updateStrategy: { type: 'OnDelete' } });
const cronJob: Make = (spec, image, annotations) =>
	({
		metadata: meta,
		spec: {
			...{ schedule: '* * * * *', concurrencyPolicy: 'Allow' },
			jobTemplate: owner({})({ ...spec, restartPolicy: 'OnFailure' }, image, annotations),
		},
	}) as unknown as KubeObject;
const podTemplate: Make = (spec, image = 'i', annotations = {}) =>
	({ metadata: meta, template: { metadata: { labels, annotations }, spec: imaged(spec, image) } }) as unknown as KubeObject;
const controller = owner({ selector: labels });

const KINDS = [
	['', 'Pod', 'spec', pod],
	['apps', 'Deployment', 'spec.template.spec', deployment],
	['apps', 'ReplicaSet', 'spec.template.spec', owner({ selector })],
	['apps', 'StatefulSet', 'spec.template.spec', statefulSet],
	['apps', 'DaemonSet', 'spec.template.spec', daemonSet],
	['', 'ReplicationController', 'spec.template.spec', controller],
	['', 'PodTemplate', 'template.spec', podTemplate],
	['batch', 'CronJob', 'spec.jobTemplate.spec.template.spec', cronJob],
] as const;

const asks = (resources: object): object => ({ containers: [{ ...container, resources }] });
const spread = (labelSelector: object): object => ({
	topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
});
const expression = { key: 'k', operator: 'In', values: ['-'] };
const near = (more: object): object => ({
	affinity: {
		podAntiAffinity: {
			preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'k', ...more } }],
		},
	},
});
const onNode = {
	affinity: {
		nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
	},
};
const token = { serviceAccountToken: { path: '../a', expirationSeconds: 600 } };
const huge = (name: string, amount: string): object => ({ limits: { cpu: '1', [name]: amount }, requests: { [name]: amount } });
const init = { ...container, name: 'd', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

const FAULTS = [
	[
		'devices of a pod with users of its own',
		{
			hostUsers: false,
			volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
			containers: [{ ...container, volumeDevices: [{ name: 'v', devicePath: '/d' }] }],
		},
		['containers[0].volumeDevices'],
	],
	[
		'huge pages that fill no page',
		asks(huge('hugepages-2Mi', '1Mi')),
		['containers[0].resources.limits[hugepages-2Mi]', 'containers[0].resources.requests[hugepages-2Mi]'],
	],
	[
		'huge pages without a size',
		asks(huge('hugepages-foo', '1Mi')),
		['containers[0].resources.limits[hugepages-foo]', 'containers[0].resources.requests[hugepages-foo]'],
	],
	['huge pages of the overhead', { overhead: { cpu: '1', 'hugepages-2Mi': '1Mi' } }, ['overhead.limits[hugepages-2Mi]']],
	[
		"sysctls of the host's network",
		{ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a', value: '1' }] } },
		['securityContext.sysctls[0].name'],
	],
	[
		"sysctls of the host's IPC",
		{ hostIPC: true, securityContext: { sysctls: [{ name: 'kernel.sem', value: '1' }] } },
		['securityContext.sysctls[0].name'],
	],
	['tokens outside of their volume', { volumes: [{ name: 'v', projected: { sources: [token] } }] }, ['volumes[0].projected.path']],
	[
		'selectors of topology spread',
		spread({ matchExpressions: [{ ...expression, operator: 'x' }] }),
		[
			'topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator',
			'topologySpreadConstraints[0].labelSelector.matchExpressions[0].values[0]',
		],
	],
	[
		'values in selectors of other pods',
		near({ labelSelector: { matchExpressions: [expression] } }),
		[
			'affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].values[0]',
		],
	],
	[
		'values in selectors of namespaces',
		near({ namespaceSelector: { matchExpressions: [expression] } }),
		[
			'affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespaceSelector.matchExpressions[0].values[0]',
		],
	],
	[
		'values of labels of nodes',
		onNode,
		['affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]'],
	],
	['restarts at resizes of init containers', { initContainers: [init] }, ['initContainers[0].resizePolicy[0].restartPolicy']],
] as const;

/** Where pods may not change. */
const FIXED = ['spec', 'spec.initContainers'];

for (const [group, kind, at, make] of KINDS)
	for (const [what, spec, fields] of FAULTS) {
		const want = fields.map((field) => `${at}.${field}`);
		const told = (errors: readonly { readonly field: string }[]): string[] => [
			...new Set(errors.map(({ field }) => field).filter((field) => !FIXED.includes(field))),
		];
		const update = (now: KubeObject, before: KubeObject): string[] => told(validateUpdate(group, 'v1', kind, now, before, true));
		test(`${kind}: ${what} are refused where they are new, and stay where they were`, (t) => {
			t.deepEqual(told(validateCreate(group, 'v1', kind, make(spec), true)), want);
			t.deepEqual(validateUpdate(group, 'v1', kind, make(spec, 'j'), make(spec), true), []);
			t.deepEqual(update(make(spec), make({})), want);
		});
	}

const COST = { 'controller.kubernetes.io/pod-deletion-cost': 'x' };
const update = (now: KubeObject, before: KubeObject): string[] =>
	validateUpdate('apps', 'v1', 'Deployment', now, before, true).map(({ field }) => field);

test('Deployment: a cost of deletion that is none stays where it was', (t) => {
	t.deepEqual(update(deployment({}, 'j', COST), deployment({}, 'i', COST)), []);
	t.deepEqual(update(deployment({}, 'j', COST), deployment({})), ['spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]']);
});

test('Deployment: one fault does not excuse another', (t) => {
	const tokens = { volumes: [{ name: 'v', projected: { sources: [token] } }] };
	t.deepEqual(update(deployment({ ...tokens, ...asks(huge('hugepages-2Mi', '1Mi')) }), deployment(tokens)), [
		'spec.template.spec.containers[0].resources.limits[hugepages-2Mi]',
		'spec.template.spec.containers[0].resources.requests[hugepages-2Mi]',
	]);
});

test('Deployment: keys of affinity are looked at even where values were wrong', (t) => {
	const of = (key: string): KubeObject => deployment(near({ labelSelector: { matchExpressions: [{ ...expression, key }] } }));
	t.deepEqual(update(of('-'), of('k')), [
		'spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].key',
	]);
});

test("DaemonSet: values of its own selector stay, and excuse those of its pods' affinity", (t) => {
	const of = (values: readonly string[], spec: object = {}): KubeObject =>
		owner({ selector: { ...selector, matchExpressions: [{ key: 'x', operator: 'NotIn', values }] }, updateStrategy: { type: 'OnDelete' } })(
			spec,
		);
	const told = (now: KubeObject, before: KubeObject): string[] =>
		validateUpdate('apps', 'v1', 'DaemonSet', now, before, true).map(({ field }) => field);
	t.deepEqual(told(of(['-'], near({ labelSelector: { matchExpressions: [expression] } })), of(['-'])), []);
	t.deepEqual(told(of(['-']), of(['y'])), ['spec.selector', 'spec.selector.matchExpressions[0].values[0]']);
});

test('Job: what its template has may stay', (t) => {
	const names = { 'controller-uid': 'u', 'job-name': 'p', 'batch.kubernetes.io/controller-uid': 'u', 'batch.kubernetes.io/job-name': 'p' };
	const job = (suspend: boolean, spec: object): KubeObject =>
		({
			metadata: meta,
			spec: {
				...{ parallelism: 1, completions: 1, completionMode: 'NonIndexed', suspend },
				selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
				template: { metadata: { labels: names }, spec: { ...SPEC, restartPolicy: 'Never', ...spec } },
			},
		}) as unknown as KubeObject;
	const told = (now: KubeObject, before: KubeObject): string[] => [
		...new Set(validateUpdate('batch', 'v1', 'Job', now, before, true).map(({ field }) => field)),
	];
	t.deepEqual(told(job(true, onNode), job(false, onNode)), []);
	t.deepEqual(told(job(true, onNode), job(true, {})), [
		'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]',
	]);
});
