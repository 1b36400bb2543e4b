import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate } from '../validation.ts';

const APPLIED = 'unsupported scope applied to resource';

for (const [name, spec, want] of [
	['a scope of pods on what pods compute with', { hard: { pods: '1', 'limits.cpu': '1' }, scopes: ['Terminating'] }, []],
	[
		'a scope of pods on what of theirs has no scopes',
		{ hard: { 'limits.ephemeral-storage': '1', 'requests.hugepages-2Mi': '1' }, scopes: ['NotBestEffort'] },
		Array.from({ length: 2 }, () => `spec.scopes: Invalid value: ["NotBestEffort"]: ${APPLIED}`),
	],
	[
		'a scope of pods on limits of huge pages, which are no standard resource',
		{ hard: { 'limits.hugepages-2Mi': '1' }, scopes: ['NotBestEffort'] },
		['must be a standard resource type or fully qualified', 'must be a standard resource for quota'].map(
			(why) => `spec.hard[limits.hugepages-2Mi]: Invalid value: "limits.hugepages-2Mi": ${why}`,
		),
	],
	[
		'any scope on counted, extended and per-class resources',
		{
			hard: { 'count/pods': '1', 'requests.x.io/g': '1', 'gold.storageclass.storage.k8s.io/requests.storage': '1' },
			scopes: ['BestEffort'],
		},
		[],
	],
	[
		'a selector of a scope that the resource does not have',
		{ hard: { services: '1' }, scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
		[
			`spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"Exists","Values":null}]}: ${APPLIED}`,
		],
	],
	[
		'selectors that exclude each other',
		{
			hard: { pods: '1' },
			scopeSelector: {
				matchExpressions: [
					{ scopeName: 'Terminating', operator: 'Exists' },
					{ scopeName: 'NotTerminating', operator: 'Exists' },
				],
			},
		},
		['spec.scopeSelector.matchExpressions: Invalid value: null: conflicting scopes'],
	],
] as const)
	test(`quota: ${name}`, (t) => {
		const object = { metadata: { name: 'a', namespace: 'n' }, spec };
		const errors = validateCreate('', 'v1', 'ResourceQuota', object as unknown as KubeObject, true);
		t.deepEqual(
			errors.map(({ field, message }) => `${field}: ${message}`),
			want,
		);
	});
