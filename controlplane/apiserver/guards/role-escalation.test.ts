import test from 'ava';
import type { PolicyRule } from '../../../api/gen/types.ts';
import { StatusError } from '../../../api/status.ts';
import type { RoleName } from '../authz/rbac.ts';
import type { GuardedWrite } from './guard.ts';
import { RoleEscalation } from './role-escalation.ts';

const PODS: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const SECRETS: PolicyRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const EVERYTHING: readonly PolicyRule[] = [
	{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
	{ nonResourceURLs: ['*'], verbs: ['*'] },
];
const LACKS = 'is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
const COLLECTS = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };

/** What somebody is told who holds `held` and writes this. */
async function told(
	resource: string,
	held: readonly PolicyRule[],
	now: object,
	before?: object,
	unknown: readonly RoleName[] = [],
): Promise<string | undefined> {
	const object = (content: object): object => ({ metadata: { name: 'r', labels: {} }, ...content });
	const rbac = {
		rulesFor: () => ({ rules: held, missing: unknown }),
		roleRules: (_kind: string, _namespace: string, name: string) => (name === 'gone' ? undefined : [SECRETS]),
	};
	const authorizer = { authorize: () => Promise.resolve({ allowed: false, denied: false, reason: '' }) };
	const write = {
		...{ group: 'rbac.authorization.k8s.io', resource, subresource: '', namespace: '', name: 'r' },
		...{ operation: before === undefined ? 'CREATE' : 'UPDATE', user: { name: 'u', uid: '', groups: [], extra: {} } },
		...{ object: object(now), oldObject: before === undefined ? undefined : object(before) },
	} as unknown as GuardedWrite;
	try {
		await new RoleEscalation({ rbac: rbac as never, authorizer: authorizer as never }).permit(write, new AbortController().signal);
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		return error.message;
	}
	return undefined;
}

const refused = (resource: string, why: string): string => `${resource}.rbac.authorization.k8s.io "r" is forbidden: ${why}`;
const lacking = (resource: string): string => refused(resource, `user "u" (groups=[]) ${LACKS}`);
const ADMINS_ONLY = refused('clusterroles', 'must have cluster-admin privileges to use the aggregationRule');
const labelled = (content: object): object => ({ metadata: { name: 'r', labels: { 'aggregate-to-admin': 'true' } }, ...content });
const going = (content: object): object => ({ metadata: { name: 'r', labels: {}, finalizers: ['f'], resourceVersion: '2' }, ...content });
const ref = (name: string): object => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } });

for (const [what, resource, held, now, before, want] of [
	['rules they hold', 'clusterroles', [PODS], { rules: [PODS] }, undefined, undefined],
	['rules they lack', 'clusterroles', [PODS], { rules: [SECRETS] }, undefined, lacking('clusterroles')],
	[
		'labels of a role with rules they lack',
		'clusterroles',
		[PODS],
		labelled({ rules: [SECRETS] }),
		{ rules: [SECRETS] },
		lacking('clusterroles'),
	],
	['finalizers of a role with rules they lack', 'clusterroles', [PODS], going({ rules: [SECRETS] }), { rules: [SECRETS] }, undefined],
	['a role that collects', 'clusterroles', [PODS], COLLECTS, undefined, ADMINS_ONLY],
	['labels of a role that collects', 'clusterroles', [PODS], labelled(COLLECTS), COLLECTS, ADMINS_ONLY],
	['a role that is to collect no longer', 'clusterroles', [PODS], {}, COLLECTS, ADMINS_ONLY],
	['a role that collects, and hold everything', 'clusterroles', EVERYTHING, COLLECTS, undefined, undefined],
	['labels of a binding of a role they lack', 'clusterrolebindings', [PODS], labelled(ref('a')), ref('a'), lacking('clusterrolebindings')],
	['finalizers of a binding of a role they lack', 'clusterrolebindings', [PODS], going(ref('a')), ref('a'), undefined],
	[
		'a binding of a role that is not there',
		'clusterrolebindings',
		[PODS],
		ref('gone'),
		undefined,
		'clusterrolebindings.rbac.authorization.k8s.io "gone" not found',
	],
	[
		'a binding of a role of a namespace that is not there',
		'rolebindings',
		[PODS],
		{ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'gone' } },
		undefined,
		'rolebindings.rbac.authorization.k8s.io "gone" not found',
	],
	[
		'a binding for the whole cluster of a role of a namespace',
		'clusterrolebindings',
		[PODS],
		{ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'gone' } },
		undefined,
		'Namespace parameter required.',
	],
	[
		'a binding of what is no role',
		'rolebindings',
		EVERYTHING,
		{ roleRef: { kind: 'Rule', name: 'a' } },
		undefined,
		'unsupported role reference kind: "Rule"',
	],
] as const)
	test(`escalation: who writes ${what}`, async (t) => t.is(await told(resource, held, now, before), want));

test('escalation: roles that could not be looked up are named', async (t) => {
	const unknown = [
		{ kind: 'ClusterRole', name: 'a' },
		{ kind: 'Role', name: 'b' },
	];
	const [one, two] = ['a', 'b'].map((name) => `clusterroles.rbac.authorization.k8s.io "${name}" not found`);
	const written = ['clusterroles', [PODS], { rules: [SECRETS] }, undefined] as const;
	t.is(await told(...written, unknown.slice(0, 1)), `${lacking('clusterroles')}; resolution errors: [${one}]`);
	t.is(await told(...written, unknown), `${lacking('clusterroles')}; resolution errors: [[${one}, ${two}]]`);
});

for (const [verb, operation, name] of [
	['create', 'CREATE', ''],
	['update', 'CREATE', 'r'],
	['patch', 'CREATE', 'r'],
	['update', 'UPDATE', 'r'],
] as const)
	test(`escalation: of the role that a request names, the right may be given alone: ${verb}, which is a ${operation}`, async (t) => {
		const asked: unknown[] = [];
		const authorizer = {
			authorize: (attributes: object) => {
				asked.push(attributes);
				return Promise.resolve({ allowed: true, denied: false, reason: '' });
			},
		};
		const user = { name: 'u', uid: '', groups: [], extra: {} };
		const write = {
			...{ group: 'rbac.authorization.k8s.io', resource: 'clusterroles', subresource: '', namespace: '', name: 'r', verb, operation, user },
			...{
				object: { metadata: { name: 'r' }, rules: [SECRETS] },
				oldObject: operation === 'UPDATE' ? { metadata: { name: 'r' } } : undefined,
			},
		} as unknown as GuardedWrite;
		await new RoleEscalation({ rbac: undefined as never, authorizer: authorizer as never }).permit(write, new AbortController().signal);
		const what = { group: 'rbac.authorization.k8s.io', version: '*', resource: 'clusterroles', subresource: '' };
		t.deepEqual(asked, [{ type: 'resource', user, verb: 'escalate', ...what, namespace: '', name }]);
	});
