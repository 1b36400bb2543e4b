import test from 'ava';
import { resourceList } from '../pod/amounts.ts';
import type { KubeObject } from '../resource.ts';
import { quotaEvaluator, evaluatorsFor } from './evaluators.ts';
import { isInScopes } from './scopes.ts';

const container = (requests: object = {}, limits: object = {}, name = 'c'): object => ({ name, resources: { requests, limits } });
const pod = (spec: object, more: object = {}): object => ({ metadata: {}, spec: { containers: [container()], ...spec }, ...more });
const NOW = Date.parse('2026-01-01T00:00:00Z');

for (const [what, group, resource, object, want] of [
	[
		'a pod by its requests and limits',
		'',
		'pods',
		pod({
			containers: [container({ cpu: '1', 'x.io/gpu': '2' }, { memory: '1Gi', 'x.io/gpu': '2' })],
			initContainers: [container({ cpu: '3' })],
		}),
		{ 'count/pods': '1', pods: '1', cpu: '3', 'requests.cpu': '3', 'requests.x.io/gpu': '2', 'limits.memory': '1Gi' },
	],
	['a pod that has ended', '', 'pods', pod({}, { status: { phase: 'Succeeded' } }), { 'count/pods': '1' }],
	[
		'a pod past its grace',
		'',
		'pods',
		pod({}, { metadata: { deletionTimestamp: '2025-12-31T23:00:00Z', deletionGracePeriodSeconds: 30 } }),
		{ 'count/pods': '1' },
	],
	[
		'huge pages',
		'',
		'pods',
		pod({ containers: [container({ 'hugepages-2Mi': '4Mi' })] }),
		{ 'count/pods': '1', pods: '1', 'hugepages-2Mi': '4Mi', 'requests.hugepages-2Mi': '4Mi' },
	],
	[
		'a balanced service by its ports',
		'',
		'services',
		{ metadata: {}, spec: { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] } },
		{ 'count/services': '1', services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
	],
	[
		'a balanced service without node ports',
		'',
		'services',
		{ metadata: {}, spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 1 }, { port: 2, nodePort: 3 }] } },
		{ 'count/services': '1', services: '1', 'services.nodeports': '1', 'services.loadbalancers': '1' },
	],
	[
		'a claim by class',
		'',
		'persistentvolumeclaims',
		{ metadata: {}, spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } } },
		{
			'count/persistentvolumeclaims': '1',
			persistentvolumeclaims: '1',
			'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
			'requests.storage': '1Gi',
			'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
		},
	],
	[
		'a device claim by class, the most of its alternatives',
		'resource.k8s.io',
		'resourceclaims',
		{
			metadata: {},
			spec: {
				devices: {
					requests: [
						{ exactly: { deviceClassName: 'a', allocationMode: 'ExactCount', count: 2 } },
						{
							firstAvailable: [
								{ deviceClassName: 'a', count: 1 },
								{ deviceClassName: 'a', count: 3 },
								{ deviceClassName: 'b', allocationMode: 'All' },
							],
						},
					],
				},
			},
		},
		{
			'count/resourceclaims.resource.k8s.io': '1',
			'a.deviceclass.resource.k8s.io/devices': '5',
			'b.deviceclass.resource.k8s.io/devices': '32',
		},
	],
	['anything else as one', 'apps', 'deployments', { metadata: {} }, { 'count/deployments.apps': '1' }],
	['a secret under both names', '', 'secrets', { metadata: {} }, { 'count/secrets': '1', secrets: '1' }],
] as const)
	test(`a quota counts ${what}`, (t) => t.deepEqual(resourceList(quotaEvaluator(group, resource).usage(object as KubeObject, NOW)), want));

for (const [what, spec, quota, want] of [
	['no scope', {}, {}, true],
	['BestEffort', {}, { scopes: ['BestEffort'] }, true],
	['NotBestEffort', {}, { scopes: ['NotBestEffort'] }, false],
	['Terminating', { activeDeadlineSeconds: 5 }, { scopes: ['Terminating'] }, true],
	['Terminating and BestEffort', {}, { scopes: ['Terminating', 'BestEffort'] }, false],
	[
		'a class among these',
		{ priorityClassName: 'a' },
		{ scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] } },
		true,
	],
	[
		'no class of these',
		{ priorityClassName: 'a' },
		{ scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['a'] }] } },
		false,
	],
	['any class', {}, { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } }, false],
	[
		'affinity across namespaces',
		{ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'x', namespaces: ['n'] }] } } },
		{ scopes: ['CrossNamespacePodAffinity'] },
		true,
	],
] as const)
	test(`a pod and a quota with ${what}`, (t) =>
		t.is(isInScopes(quotaEvaluator('', 'pods'), pod(spec) as KubeObject, { metadata: {}, spec: quota as never }), want));

test('a quota on compute resources makes containers state them', (t) => {
	const object = pod({ containers: [container({ cpu: '1' }, {}, 'b'), container({}, {}, 'a')] }) as KubeObject;
	const { unstated } = quotaEvaluator('', 'pods');
	t.is(unstated?.(object, ['requests.cpu', 'limits.memory', 'pods']), 'must specify limits.memory for: a,b; requests.cpu for: a');
	t.is(unstated?.(object, ['pods']), undefined);
});

test('a pod that states any of its resources as a whole need not state the others', (t) => {
	const object = pod({ containers: [container({}, {}, 'a')], resources: { requests: { cpu: '1' } } }) as KubeObject;
	t.is(quotaEvaluator('', 'pods').unstated?.(object, ['requests.cpu', 'limits.memory']), undefined);
	const empty = pod({ containers: [container({}, {}, 'a')], resources: { requests: {} } }) as KubeObject;
	t.is(quotaEvaluator('', 'pods').unstated?.(empty, ['limits.memory']), 'must specify limits.memory for: a');
});

const NAMES = [
	'count/deployments.apps',
	'count/events',
	'count/events.events.k8s.io',
	'pods',
	'requests.x.io/gpu',
	'g.storageclass.storage.k8s.io/requests.storage',
	'what',
];

test('the names of a quota find their resources, of which Events are none', (t) =>
	t.deepEqual(
		evaluatorsFor(NAMES).map((f) => [f.evaluator.resource, f.names]),
		[
			['pods', ['pods', 'requests.x.io/gpu']],
			['persistentvolumeclaims', ['g.storageclass.storage.k8s.io/requests.storage']],
			['deployments', ['count/deployments.apps']],
		],
	));
