/**
 * Reads the compact notation of the default roles and bindings:
 *
 *     [namespace/]name [+label …] [<label …]      a role; +x carries, <x aggregates the label rbac.authorization.k8s.io/x
 *     	verbs groups resources [names a b]          one rule; "core" is the group ""
 *     	verbs urls /a /b                            a rule of non-resource URLs
 *     [namespace/]name = Kind role : group g, user u, sa namespace/name
 */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RbacSubject as Subject } from '../../../api/gen/types.ts';

const RBAC = 'rbac.authorization.k8s.io';
const META = {
	labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
	annotations: { [`${RBAC.replace('k8s', 'kubernetes')}/autoupdate`]: 'true' },
};

export function parseRoles(text: string): (ClusterRole & Role)[] {
	const roles: (ClusterRole & Role)[] = [];
	for (const line of text.split('\n')) {
		if (line === '') continue;
		if (line.startsWith('\t')) roles.at(-1)?.rules?.push(parseRule(line.slice(1)));
		else roles.push(parseHead(line));
	}
	return roles;
}

export function parseBindings(text: string): (ClusterRoleBinding & RoleBinding)[] {
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => {
			const [, where = '', kind = '', name = '', subjects = ''] = /^(\S+) = (\S+) (\S+) :(.*)$/.exec(line) ?? [];
			const list = subjects.trim() === '' ? [] : subjects.split(',').map((s) => parseSubject(s.trim()));
			return {
				apiVersion: `${RBAC}/v1`,
				kind: where.includes('/') ? 'RoleBinding' : 'ClusterRoleBinding',
				metadata: { ...META, ...place(where) },
				...(list.length === 0 ? {} : { subjects: list }),
				roleRef: { apiGroup: RBAC, kind, name },
			};
		});
}

function parseHead(line: string): ClusterRole & Role {
	const [where = '', ...marks] = line.split(' ');
	const labels = marks.filter((m) => m.startsWith('+')).map((m) => [`${RBAC}/${m.slice(1)}`, 'true'] as const);
	const selectors = marks.filter((m) => m.startsWith('<')).map((m) => ({ matchLabels: { [`${RBAC}/${m.slice(1)}`]: 'true' } }));
	return {
		apiVersion: `${RBAC}/v1`,
		kind: where.includes('/') ? 'Role' : 'ClusterRole',
		metadata: { ...META, labels: { ...META.labels, ...Object.fromEntries(labels) }, ...place(where) },
		// A controller gathers the rules of an aggregated role, and owns them alone.
		...(selectors.length === 0 ? { rules: [] } : { aggregationRule: { clusterRoleSelectors: selectors } }),
	};
}

/** "namespace/name" or "name"; names of cluster-scoped roles contain no slash. */
function place(where: string): { name: string; namespace?: string } {
	const at = where.indexOf('/');
	return at < 0 ? { name: where } : { namespace: where.slice(0, at), name: where.slice(at + 1) };
}

function parseRule(line: string): PolicyRule {
	const [verbs = '', groups = '', ...rest] = line.split(' ');
	if (groups === 'urls') return { verbs: verbs.split(','), nonResourceURLs: rest };
	const [resources = '', , ...names] = rest;
	return {
		verbs: verbs.split(','),
		apiGroups: groups.split(',').map((g) => (g === 'core' ? '' : g)),
		resources: resources.split(','),
		...(names.length === 0 ? {} : { resourceNames: names }),
	};
}

function parseSubject(text: string): Subject {
	const [kind = '', who = ''] = text.split(' ');
	switch (kind) {
		case 'sa':
			return { kind: 'ServiceAccount', ...place(who) };
		case 'user':
			return { kind: 'User', apiGroup: RBAC, name: who };
		default:
			return { kind: 'Group', apiGroup: RBAC, name: who };
	}
}
