import test from 'ava';
import type { KubeObject, Key, Resource } from '../../../api/resource.ts';
import { keyOf } from '../../../api/resource.ts';
import {
	CLUSTER_ROLE_BINDINGS,
	CLUSTER_ROLES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	PODS,
	ROLE_BINDINGS,
	ROLES,
} from '../../../api/resources.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../../api/gen/types.ts';
import { createLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Attributes, ObjectReader, UserInfo } from '../contracts.ts';
import { createAuthorization, DEFAULT_MODES } from './authorizer.ts';
import { describeRules, uncovered } from './covers.ts';
import { forbiddenMessage } from './forbidden.ts';
import { reviewSelectors } from '../subresources/reviews/review-selectors.ts';
import { ruleAllows } from './rules.ts';

const UNRELATED = "no relationship found between node 'n1' and this object";

const PARTS = { clock: new VirtualClock(), log: createLog({ level: 'error' }) };

const NEVER = new AbortController().signal;
const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: '', groups, extra: {} });

function ask(
	verb: string,
	what: string,
	options: {
		readonly namespace?: string;
		readonly name?: string;
		readonly user?: UserInfo;
		readonly pinned?: Readonly<Record<string, string>>;
	} = {},
): Attributes {
	if (what.startsWith('/')) return { type: 'path', user: options.user ?? user('u'), verb, path: what };
	const [full = '', subresource = ''] = what.split('/');
	const [resource = '', ...group] = full.split('.');
	return {
		type: 'resource',
		user: options.user ?? user('u'),
		verb,
		group: group.join('.'),
		version: 'v1',
		resource,
		subresource,
		namespace: options.namespace ?? '',
		name: options.name ?? '',
		pinned: options.pinned,
	};
}

const rule = (verbs: string, groups: string, resources: string, ...names: string[]): PolicyRule => ({
	verbs: verbs.split(','),
	apiGroups: groups.split(','),
	resources: resources.split(','),
	...(names.length === 0 ? {} : { resourceNames: names }),
});

for (const [name, one, asked, want] of [
	['a verb, group and resource', rule('get', '', 'pods'), ask('get', 'pods'), true],
	['another verb', rule('get', '', 'pods'), ask('list', 'pods'), false],
	['another group', rule('get', 'apps', 'pods'), ask('get', 'pods'), false],
	['stars', rule('*', '*', '*'), ask('delete', 'deployments.apps/scale'), true],
	['a resource does not cover its subresources', rule('get', '', 'pods'), ask('get', 'pods/log'), false],
	['*/scale covers scale of everything', rule('update', '*', '*/scale'), ask('update', 'ys.x.io/scale'), true],
	['a name', rule('get', '', 'pods', 'p'), ask('get', 'pods', { name: 'p' }), true],
	['another name', rule('get', '', 'pods', 'p'), ask('get', 'pods', { name: 'q' }), false],
	['no name where one is needed', rule('list', '', 'pods', 'p'), ask('list', 'pods'), false],
	['a path prefix', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, ask('get', '/healthz/ping'), true],
	['a path that is not listed', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, ask('get', '/healthz/ping'), false],
] as const)
	test(`ruleAllows(): ${name}`, (t) => t.is(ruleAllows(one as PolicyRule, asked), want));

test('uncovered(): what is missing is broken down, joined by verb and sorted', (t) => {
	const held = [rule('get,create', '', 'pods,roles')];
	const wanted = [rule('get,list', 'apps', 'deployments,daemonsets'), rule('get', '', 'secrets', 'x'), rule('get', '', 'pods')];
	t.is(
		describeRules(uncovered(held, wanted)),
		[
			'{APIGroups:[""], Resources:["secrets"], ResourceNames:["x"], Verbs:["get"]}',
			'{APIGroups:["apps"], Resources:["daemonsets"], Verbs:["get" "list"]}',
			'{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}',
		].join('\n'),
	);
	t.deepEqual(uncovered([rule('*', '*', '*')], wanted), []);
	t.is(
		describeRules(uncovered([], [rule('get,list', '', 'pods'), rule('list', '', 'pods')])),
		'{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "list"]}',
	);
});

test('forbiddenMessage(): upstream words', (t) => {
	t.is(
		forbiddenMessage(ask('get', 'pods/log', { namespace: 'n' }), ''),
		'User "u" cannot get resource "pods/log" in API group "" in the namespace "n"',
	);
	t.is(forbiddenMessage(ask('list', 'nodes'), 'why'), 'User "u" cannot list resource "nodes" in API group "" at the cluster scope: why');
	t.is(forbiddenMessage(ask('get', '/api'), ''), 'User "u" cannot get path "/api"');
	t.is(forbiddenMessage(ask('get', '/<b>&"'), '<why>'), 'User "u" cannot get path "/&lt;b&gt;&amp;\\"": <why>');
});

/** Objects in memory, with changes. */
class Objects implements ObjectReader {
	readonly #kinds = new Map<string, Map<Key, KubeObject>>();
	readonly #listeners = new Map<string, Set<(change: { key: Key; before: undefined; after: KubeObject | undefined }) => void>>();

	put(resource: Resource, object: KubeObject): void {
		const kind = this.#kinds.get(resource.plural) ?? new Map<Key, KubeObject>();
		kind.set(keyOf(object), object);
		this.#kinds.set(resource.plural, kind);
		for (const fn of this.#listeners.get(resource.plural) ?? []) fn({ key: keyOf(object), before: undefined, after: object });
	}
	remove(resource: Resource, key: Key): void {
		this.#kinds.get(resource.plural)?.delete(key);
		for (const fn of this.#listeners.get(resource.plural) ?? []) fn({ key, before: undefined, after: undefined });
	}
	get<T extends KubeObject>(resource: Resource<T>, key: Key): T | undefined {
		return this.#kinds.get(resource.plural)?.get(key) as T | undefined;
	}
	list<T extends KubeObject>(resource: Resource<T>, namespace?: string): readonly T[] {
		const all = [...(this.#kinds.get(resource.plural)?.values() ?? [])] as T[];
		return namespace === undefined ? all : all.filter((o) => o.metadata.namespace === namespace);
	}
	onChange<T extends KubeObject>(
		resource: Resource<T>,
		fn: (change: { readonly key: Key; readonly before: T | undefined; readonly after: T | undefined }) => void,
	): Disposable {
		const set = this.#listeners.get(resource.plural) ?? new Set();
		set.add(fn as never);
		this.#listeners.set(resource.plural, set);
		return { [Symbol.dispose]: () => void set.delete(fn as never) };
	}
}

const role = (name: string, namespace: string | undefined, ...rules: PolicyRule[]): ClusterRole => ({
	metadata: { name, namespace },
	rules,
});
const binding = (name: string, namespace: string | undefined, kind: string, to: string, subject: object): RoleBinding =>
	({
		metadata: { name, namespace },
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: to },
		subjects: [subject],
	}) as RoleBinding;

test('roles are found through bindings, and follow their changes', async (t) => {
	const objects = new Objects();
	using authorization = createAuthorization(objects, DEFAULT_MODES, PARTS);
	const { authorizer } = authorization;
	const asked = ask('get', 'pods', { namespace: 'n', user: user('u', 'g') });
	t.false((await authorizer.authorize(asked, NEVER)).allowed);
	objects.put(ROLE_BINDINGS, binding('a', 'n', 'Role', 'r', { kind: 'User', name: 'u' }));
	t.is((await authorizer.authorize(asked, NEVER)).reason, 'RBAC: role.rbac.authorization.k8s.io "r" not found');
	objects.put(ROLES, role('r', 'n', rule('get', '', 'pods')));
	t.deepEqual(await authorizer.authorize(asked, NEVER), {
		allowed: true,
		denied: false,
		reason: 'RBAC: allowed by RoleBinding "a/n" of Role "r" to User "u"',
	});
	t.false((await authorizer.authorize({ ...asked, namespace: 'other' } as Attributes, NEVER)).allowed);
	objects.remove(ROLE_BINDINGS, 'n/a');
	t.false((await authorizer.authorize(asked, NEVER)).allowed);
	objects.put(CLUSTER_ROLES, role('c', undefined, rule('*', '*', '*')));
	objects.put(CLUSTER_ROLE_BINDINGS, binding('b', undefined, 'ClusterRole', 'c', { kind: 'Group', name: 'g' }));
	t.is((await authorizer.authorize(asked, NEVER)).reason, 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "c" to Group "g"');
});

test('service accounts are bound as subjects of their own kind; superusers need no role', async (t) => {
	const objects = new Objects();
	using authorization = createAuthorization(objects, DEFAULT_MODES, PARTS);
	objects.put(CLUSTER_ROLES, role('c', undefined, rule('get', '', 'pods')));
	objects.put(ROLE_BINDINGS, binding('b', 'n', 'ClusterRole', 'c', { kind: 'ServiceAccount', name: 's', namespace: 'k' }));
	const asked = ask('get', 'pods', { namespace: 'n', user: user('system:serviceaccount:k:s') });
	t.is(
		(await authorization.authorizer.authorize(asked, NEVER)).reason,
		'RBAC: allowed by RoleBinding "b/n" of ClusterRole "c" to ServiceAccount "s/k"',
	);
	t.true((await authorization.authorizer.authorize(ask('delete', 'nodes', { user: user('x', 'system:masters') }), NEVER)).allowed);
});

const kubelet = user('system:node:n1', 'system:nodes');
for (const [name, asked, want, reason] of [
	['its own node', ask('get', 'nodes', { name: 'n1', user: kubelet }), true, ''],
	['another node', ask('get', 'nodes', { name: 'other', user: kubelet }), false, "node 'n1' cannot read 'other', only its own Node object"],
	['pods of its own', ask('watch', 'pods', { namespace: '', pinned: { 'spec.nodeName': 'n1' }, user: kubelet }), true, ''],
	['a pod without a name', ask('get', 'pods', { namespace: 'default', user: kubelet }), false, 'No Object name found'],
	['all pods', ask('list', 'pods', { namespace: '', user: kubelet }), false, 'can only list/watch pods with spec.nodeName field selector'],
	[
		'pods of another node',
		ask('list', 'pods', { namespace: '', pinned: { 'spec.nodeName': 'n2' }, user: kubelet }),
		false,
		'can only list/watch pods with spec.nodeName field selector',
	],
	['deleting its node', ask('delete', 'nodes', { name: 'n1', user: kubelet }), false, ''],
	[
		'slices of another node',
		ask('list', 'resourceslices.resource.k8s.io', { user: kubelet }),
		false,
		'can only list/watch/deletecollection resourceslices with nodeName field selector',
	],
	['updates of node status', ask('patch', 'nodes/status', { name: 'n1', user: kubelet }), true, ''],
	['a secret of its pod', ask('get', 'secrets', { namespace: 'n', name: 'used', user: kubelet }), true, ''],
	['another secret', ask('get', 'secrets', { namespace: 'n', name: 'x', user: kubelet }), false, UNRELATED],
	['a secret of a volume of its pod', ask('get', 'secrets', { namespace: 'other', name: 'of-volume', user: kubelet }), true, ''],
	[
		'a secret of a volume that its pod only claims',
		ask('get', 'secrets', { namespace: 'other', name: 'of-another', user: kubelet }),
		false,
		UNRELATED,
	],
	['a secret of a mirror pod', ask('get', 'secrets', { namespace: 'n', name: 'of-mirror', user: kubelet }), false, UNRELATED],
	[
		'a claim for extended resources',
		ask('get', 'resourceclaims.resource.k8s.io', { namespace: 'n', name: 'extended', user: kubelet }),
		true,
		'',
	],
	[
		'a reading of the status of its claim',
		ask('get', 'persistentvolumeclaims/status', { namespace: 'n', name: 'c', user: kubelet }),
		false,
		'can only get/update/patch this type',
	],
	[
		'a change of the status of its claim',
		ask('patch', 'persistentvolumeclaims/status', { namespace: 'n', name: 'c', user: kubelet }),
		true,
		'',
	],
	[
		'a change of an account',
		ask('create', 'serviceaccounts/other', { namespace: 'n', name: 'sa', user: kubelet }),
		false,
		'can only create token subresource of serviceaccount',
	],
	['all secrets', ask('list', 'secrets', { user: kubelet }), false, 'can only read namespaced object of this type'],
	['a token for its pod', ask('create', 'serviceaccounts/token', { namespace: 'n', name: 'sa', user: kubelet }), true, ''],
	['its lease', ask('update', 'leases.coordination.k8s.io', { namespace: 'kube-node-lease', name: 'n1', user: kubelet }), true, ''],
	[
		"another's lease",
		ask('update', 'leases.coordination.k8s.io', { namespace: 'kube-node-lease', name: 'n2', user: kubelet }),
		false,
		'can only access node lease with the same name as the requesting node',
	],
	['events', ask('create', 'events', { namespace: 'n', user: kubelet }), true, ''],
	['deployments', ask('list', 'deployments.apps', { user: kubelet }), false, ''],
] as const)
	test(`a kubelet and ${name}`, async (t) => {
		const objects = new Objects();
		objects.put(PODS, {
			metadata: { namespace: 'n', name: 'p' },
			spec: {
				nodeName: 'n1',
				serviceAccountName: 'sa',
				containers: [],
				volumes: [
					{ name: 'v', secret: { secretName: 'used' } },
					{ name: 'c', persistentVolumeClaim: { claimName: 'c' } },
					{ name: 'd', persistentVolumeClaim: { claimName: 'd' } },
				],
			},
			status: { extendedResourceClaimStatus: { resourceClaimName: 'extended' } },
		} as unknown as KubeObject);
		objects.put(PODS, {
			metadata: { namespace: 'n', name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } },
			spec: { nodeName: 'n1', containers: [], volumes: [{ name: 'v', secret: { secretName: 'of-mirror' } }] },
		} as unknown as KubeObject);
		for (const [claim, secret] of [
			['c', 'of-volume'],
			['d', 'of-another'],
		]) {
			objects.put(PERSISTENT_VOLUME_CLAIMS, { metadata: { namespace: 'n', name: claim }, spec: { volumeName: claim } } as KubeObject);
			const iscsi = { secretRef: { name: secret, namespace: 'other' } };
			objects.put(PERSISTENT_VOLUMES, {
				metadata: { name: claim },
				spec: { claimRef: { namespace: 'n', name: 'c' }, iscsi },
			} as unknown as KubeObject);
		}
		using authorization = createAuthorization(objects, DEFAULT_MODES, PARTS);
		t.deepEqual(await authorization.authorizer.authorize(asked, NEVER), { allowed: want, denied: false, reason });
		t.deepEqual(authorization.authorizer.decide?.(asked), { allowed: want, denied: false, reason });
	});

for (const [name, asked, pinned, errors] of [
	['none', {}, {}, []],
	['a text', { fieldSelector: { rawSelector: 'spec.nodeName=a,x!=y' } }, { 'spec.nodeName': 'a' }, []],
	[
		'a text that is none',
		{ fieldSelector: { rawSelector: '$' } },
		{},
		['spec.resourceAttributes.fieldSelector ignored due to parse error'],
	],
	[
		'requirements',
		{
			fieldSelector: {
				requirements: [
					{ key: 'a', operator: 'In', values: ['b'] },
					{ key: 'c', operator: 'NotIn', values: ['d'] },
				],
			},
		},
		{ a: 'b' },
		[],
	],
	[
		'one of them is not understood',
		{
			fieldSelector: {
				requirements: [
					{ key: 'a', operator: 'In', values: ['b'] },
					{ key: 'c', operator: 'Exists' },
				],
			},
		},
		{ a: 'b' },
		['spec.resourceAttributes.fieldSelector partially ignored due to parse error'],
	],
	[
		'labels that are none',
		{ labelSelector: { rawSelector: 'a in' } },
		{},
		['spec.resourceAttributes.labelSelector ignored due to parse error'],
	],
] as const)
	test(`selectors of access reviews: ${name}`, (t) => {
		const read = reviewSelectors(structuredClone(asked) as unknown as Parameters<typeof reviewSelectors>[0]);
		t.deepEqual({ pinned: read.pinned, errors: read.errors }, { pinned, errors: [...errors] });
	});
