import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { noteEmpty } from '../../sent-empty.ts';
import { validateCreate, validateUpdate } from '../validation.ts';

const shown = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(
		({ field, message }) =>
			`${field}: ${message.replace(/Invalid value: \{.*\}: /, 'Invalid value: {…}: ').replace(/: (a lowercase RFC|name part must|a valid percent|a valid label must).*/, '')}`,
	);
const metadata = { name: 'a', namespace: 'n', uid: 'u' };
const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const podSpec = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' };

const labels = { 'controller-uid': 'u', 'job-name': 'a', 'batch.kubernetes.io/controller-uid': 'u', 'batch.kubernetes.io/job-name': 'a' };
const job = (spec: object, template: object = {}, more: object = {}): KubeObject =>
	({
		metadata,
		spec: {
			...{ parallelism: 1, completions: 1, completionMode: 'NonIndexed', suspend: true },
			selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
			template: { metadata: { labels: { ...labels, ...more } }, spec: { ...podSpec, restartPolicy: 'Never', ...template } },
			...spec,
		},
	}) as unknown as KubeObject;
const started = (object: KubeObject, status: object): KubeObject =>
	({ ...object, status: { startTime: '2026-01-01T00:00:00Z', ...status } }) as unknown as KubeObject;
const resources = { requests: { cpu: '1' } };
const TEMPLATE = 'spec.template: Invalid value: {…}: field is immutable';
const SPEC = 'spec.template.spec: Invalid value: {…}: field is immutable';
const NO_CONTAINERS = 'spec.template.spec.containers: Required value';
const waiting = { conditions: [{ type: 'Suspended', status: 'True' }] };

for (const [rule, before, after, want] of [
	[
		'where its pods run may change while it waits',
		job({}),
		job({}, { nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }], affinity: { nodeAffinity: {} } }, { x: 'y' }),
		[],
	],
	['what they ask for, too', job({}), job({}, { containers: [{ ...container, resources }] }), []],
	['not what they are', job({}), job({}, { containers: [{ ...container, image: 'j' }] }), [SPEC]],
	['nor that there are none', job({}), job({}, { containers: undefined }), [NO_CONTAINERS, NO_CONTAINERS, SPEC]],
	['nor which pods they are near', job({}), job({}, { affinity: { podAffinity: {} } }), [SPEC]],
	['nor anything where it runs', job({ suspend: false }), job({ suspend: false }, { nodeSelector: { a: 'b' } }), [TEMPLATE]],
	['nor where it waits no more', started(job({}), {}), job({}, { nodeSelector: { a: 'b' } }), [TEMPLATE]],
	['it may again once it is stopped', started(job({}), waiting), job({}, { nodeSelector: { a: 'b' } }), []],
	['and no pod is left', started(job({}), { ...waiting, active: 1 }), job({}, { nodeSelector: { a: 'b' } }), [TEMPLATE]],
] as const)
	test(`jobs: ${rule}`, (t) => t.deepEqual(shown(validateUpdate('batch', 'v1', 'Job', after, before, true)), [...want]));

const failure = (onPodConditions: object[], values: number[]): object => ({
	podFailurePolicy: {
		rules: [
			{ action: 'Count', onPodConditions },
			{ action: 'Count', onExitCodes: { operator: 'In', values } },
		],
	},
});
const indexed = (successPolicy: object): object => ({ completionMode: 'Indexed', completions: 5, successPolicy });
for (const [rule, object, want] of [
	[
		'an indexed one without completions makes no pods',
		{ ...job({ completionMode: 'Indexed', completions: 0, suspend: false }), metadata: { ...metadata } },
		[],
	],
	[
		'too many rules are looked at all the same',
		job(
			failure(
				Array.from({ length: 21 }, (_, i) => ({ type: i === 0 ? 'a b' : 'a', status: 'True' })),
				[0, ...Array.from({ length: 255 }, (_, i) => i + 1)],
			),
		),
		[
			'spec.podFailurePolicy.rules[0].onPodConditions: Too many: 21: must have at most 20 items',
			'spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "a b"',
			'spec.podFailurePolicy.rules[1].onExitCodes.values: Too many: 256: must have at most 255 items',
			'spec.podFailurePolicy.rules[1].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator',
		],
	],
	[
		'an interval of indexes has two ends',
		job(indexed({ rules: [{ succeededIndexes: '0-1-2' }] })),
		[
			'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-1-2": error parsing succeededIndexes: the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by \'-\'',
		],
	],
] as const)
	test(`jobs: ${rule}`, (t) => t.deepEqual(shown(validateCreate('batch', 'v1', 'Job', object as KubeObject, true)), [...want]));

test('cron jobs: the selector comes after the rest of the template', (t) => {
	const jobTemplate = { spec: { selector: {}, manualSelector: true, template: { spec: podSpec } } };
	const object = { metadata, spec: { schedule: '* * * * *', concurrencyPolicy: 'Allow', jobTemplate } } as unknown as KubeObject;
	t.deepEqual(shown(validateCreate('batch', 'v1', 'CronJob', object, true)), [
		'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
		'spec.jobTemplate.spec.selector: Invalid value: {…}: `selector` will be auto-generated',
		'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
	]);
});

test('job status: intervals that are sound are compared where others are not', (t) => {
	const of = (status: object): KubeObject =>
		({ ...job({ completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 }), status }) as unknown as KubeObject;
	t.deepEqual(shown(validateUpdate('batch', 'v1', 'Job', of({ completedIndexes: 'x,2', failedIndexes: '1-3' }), of({}), true, 'status')), [
		'status.completedIndexes: Invalid value: "x,2": error parsing completedIndexes: cannot convert string to integer for index: "x"',
		'status.failedIndexes: Invalid value: "1-3": failedIndexes and completedIndexes overlap at index: 2',
	]);
});

const set = (kind: string, spec: object, labelsOfPod: object = { a: 'b' }, annotations: object = {}): KubeObject =>
	({
		kind,
		metadata,
		spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: labelsOfPod, annotations }, spec: podSpec }, ...spec },
	}) as unknown as KubeObject;

test('deployments: what is no percentage counts as its number', (t) => {
	const at = 'spec.strategy.rollingUpdate.maxUnavailable';
	const strategy = (maxUnavailable: string): object => ({
		strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge: 0 } },
	});
	const found = (value: string): string[] => shown(validateCreate('apps', 'v1', 'Deployment', set('Deployment', strategy(value)), true));
	t.deepEqual(found('5'), [`${at}: Invalid value: "5"`]);
	t.deepEqual(found('x'), [`${at}: Invalid value: "x"`, `${at}: Invalid value: "x": may not be 0 when \`maxSurge\` is 0`]);
});

test('stateful sets: annotations of the template are told of twice', (t) => {
	const cost = 'controller.kubernetes.io/pod-deletion-cost';
	const object = set('StatefulSet', { podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } }, { a: 'b' }, { [cost]: 'x' });
	const why = `spec.template.annotations[${cost}]: Invalid value: "x": must be a 32bit integer`;
	t.deepEqual(shown(validateCreate('apps', 'v1', 'StatefulSet', object, true)), [why, why]);
});

test('revisions: the number comes before the data, and all of it is looked at again in updates', (t) => {
	const revision = (revisionNumber: number, data?: unknown, more: object = {}): KubeObject =>
		({ metadata: { ...metadata, ...more }, revision: revisionNumber, data }) as unknown as KubeObject;
	const negative = 'revision: Invalid value: -1: must be greater than or equal to 0';
	t.deepEqual(shown(validateCreate('apps', 'v1', 'ControllerRevision', revision(-1), true)), [
		negative,
		'data: Required value: data is mandatory',
	]);
	const finalizer = 'metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified';
	t.deepEqual(shown(validateUpdate('apps', 'v1', 'ControllerRevision', revision(1, {}, { finalizers: ['x'] }), revision(1, {}), true)), [
		finalizer,
		finalizer,
	]);
});

for (const [data, isSame] of [
	[{ k: 1, a: null, b: [] }, true],
	[{ k: 1 }, false],
	[{ k: 1, b: [] }, false],
	[{ a: null, k: 1, b: [] }, false],
] as const)
	test(`revisions: data that has nulls and empty lists ${isSame ? 'stays' : 'does not become'} ${JSON.stringify(data)}`, (t) => {
		const revision = (given: unknown): KubeObject => ({ metadata, revision: 1, data: given }) as unknown as KubeObject;
		const errors = validateUpdate('apps', 'v1', 'ControllerRevision', revision(data), revision({ k: 1, a: null, b: [] }), true);
		t.deepEqual(shown(errors), isSame ? [] : ['data: Invalid value: {…}: field is immutable']);
	});

for (const [maxUnavailable, want] of [
	[1, []],
	[0, ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0']],
	['0%', ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0']],
] as const)
	test(`stateful sets that have it from a server that lets them: ${maxUnavailable} pods may be missing`, (t) => {
		const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } };
		const object = set('StatefulSet', { podManagementPolicy: 'Parallel', updateStrategy });
		t.deepEqual(shown(validateUpdate('apps', 'v1', 'StatefulSet', object, object, true)), [...want]);
	});

test('stateful sets: what was wrong with one before is not looked at again in its template', (t) => {
	const spec = { podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } };
	const wrong = { containers: [{ ...container, image: '' }] };
	const of = (replicas: number): KubeObject =>
		set('StatefulSet', { ...spec, replicas, template: { metadata: { labels: { a: 'b' } }, spec: { ...podSpec, ...wrong } } });
	t.deepEqual(shown(validateUpdate('apps', 'v1', 'StatefulSet', of(2), of(1), true)), []);
});

for (const [kind, rule, strategy] of [
	['Deployment', 'strategy', { type: 'x', rollingUpdate: { maxSurge: 1 } }],
	['DaemonSet', 'updateStrategy', { type: 'x', rollingUpdate: { maxSurge: 1 } }],
] as const)
	test(`${kind}: a number or share that is left out is shown as 0`, (t) => {
		const object = { metadata: { name: 'a', namespace: 'n' }, spec: { [rule]: strategy } } as unknown as KubeObject;
		const { message = '' } = validateCreate('apps', 'v1', kind, object, true).find(({ field }) => field.startsWith(`spec.${rule}`)) ?? {};
		t.regex(message, /"RollingUpdate":\{"MaxUnavailable":0,"MaxSurge":1\}/);
	});

const unlabelled = { metadata: {}, spec: podSpec };
noteEmpty(unlabelled.metadata, 'labels', {});
const owner = { selector: { matchLabels: { app: 'x' } }, template: unlabelled };
for (const [group, kind, spec] of [
	['apps', 'ReplicaSet', owner],
	['apps', 'Deployment', { ...owner, strategy: { type: 'Recreate' } }],
	['apps', 'DaemonSet', { ...owner, updateStrategy: { type: 'OnDelete' } }],
	['apps', 'StatefulSet', { ...owner, podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } }],
	['', 'ReplicationController', { ...owner, selector: { app: 'x' } }],
] as const)
	test(`${kind}: labels that were sent empty are shown so`, (t) => {
		const object = { metadata: { name: 'a', namespace: 'n' }, spec } as unknown as KubeObject;
		const found = validateCreate(group, 'v1', kind, object, true).filter(({ field }) => field === 'spec.template.metadata.labels');
		t.deepEqual(
			found.map(({ message }) => message),
			['Invalid value: {}: `selector` does not match template `labels`'],
		);
	});

test('ReplicationController: a selector is compared with labels, whatever they are', (t) => {
	const controller = (value: string): KubeObject =>
		({
			metadata,
			spec: { selector: { a: value }, template: { metadata: { labels: { a: '-' } }, spec: podSpec } },
		}) as unknown as KubeObject;
	const told = (value: string): string[] => shown(validateCreate('', 'v1', 'ReplicationController', controller(value), true));
	t.deepEqual(told('-'), ['spec.template.labels: Invalid value: "-"']);
	t.deepEqual(told('b'), [
		'spec.template.metadata.labels: Invalid value: {…}: `selector` does not match template `labels`',
		'spec.template.labels: Invalid value: "-"',
	]);
});
