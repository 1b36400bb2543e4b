import test from 'ava';
import { ruleList } from './rule-list.ts';

const PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const rbac = { rulesFor: () => ({ rules: [PODS], missing: [{ kind: 'Role', name: 'r' }] }) } as never;
const LACKS = 'role.rbac.authorization.k8s.io "r" not found';
const ALL = [
	{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
	{ verbs: ['*'], nonResourceURLs: ['*'] },
];
const policies = [
	{ user: 'system:node:n', namespace: 'ns', resource: 'pods', readonly: true },
	{ user: 'system:node:n', namespace: '*', nonResourcePath: '/x' },
	{ user: 'other', namespace: 'ns', resource: 'secrets' },
];
const cannot = (who: string): string => `${who} authorizer does not support user rule resolution`;

for (const [what, modes, group, want] of [
	['roles', ['RBAC'], '', { rules: [PODS], incomplete: false, errors: [LACKS] }],
	['everything, and no roles', ['AlwaysAllow'], '', { rules: ALL, incomplete: false, errors: [] }],
	['both', ['RBAC', 'AlwaysAllow'], '', { rules: [PODS, ...ALL], incomplete: false, errors: [LACKS] }],
	['nothing', ['AlwaysDeny', 'Node'], '', { rules: [], incomplete: false, errors: [] }],
	['a node', ['Node'], 'system:nodes', { rules: [], incomplete: true, errors: [cannot('node')] }],
	['webhooks', ['Webhook', 'Webhook'], '', { rules: [], incomplete: true, errors: [cannot('webhook')] }],
	[
		'policies',
		['ABAC'],
		'',
		{
			rules: [
				{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
				{ verbs: ['*'], nonResourceURLs: ['/x'] },
			],
			incomplete: false,
			errors: [],
		},
	],
] as const)
	test(`ruleList(): ${what}`, (t) =>
		t.deepEqual(
			ruleList(
				modes.map((type) => ({ type, policies })) as never,
				rbac,
				{ name: 'system:node:n', uid: '', groups: [group], extra: {} },
				'ns',
			),
			want as never,
		));
