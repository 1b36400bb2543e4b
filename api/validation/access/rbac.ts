/** Roles and bindings. */
import { invalidValue, notSupported, required } from '../../field-error.ts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, RbacSubject } from '../../gen/types.ts';
import { dnsSubdomain, pathSegment } from '../names.ts';
import { objectMeta, objectMetaUpdate } from '../metadata.ts';
import { present, same, texts, type Errors } from '../rule.ts';
import { labelSelector, selects, valuesAfter, type Values } from '../selectors.ts';

/** A prefix is checked as if it were the whole name. */
function roleName(name: string): readonly string[] {
	return pathSegment(name);
}

const GROUP = 'rbac.authorization.k8s.io';

function rules(out: Errors, list: readonly PolicyRule[], namespaced: boolean): void {
	for (const [i, rule] of list.entries()) {
		const at = `rules[${i}]`;
		const urls = rule.nonResourceURLs ?? [];
		const given = (names: readonly string[] | undefined): boolean => (names ?? []).length > 0;
		if (!given(rule.verbs)) out.push(required(`${at}.verbs`, 'verbs must contain at least one value'));
		if (urls.length > 0) {
			if (namespaced) out.push(invalidValue(`${at}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'));
			if (given(rule.apiGroups) || given(rule.resources) || given(rule.resourceNames))
				out.push(invalidValue(`${at}.nonResourceURLs`, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
			continue;
		}
		if (!given(rule.apiGroups)) out.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'));
		if (!given(rule.resources)) out.push(required(`${at}.resources`, 'resource rules must supply at least one resource'));
	}
}

export function role(out: Errors, object: Role): void {
	objectMeta(out, object.metadata, { name: roleName, namespaced: true, finalizers: true });
	rules(out, object.rules ?? [], true);
}

export function clusterRole(out: Errors, object: ClusterRole): void {
	wholeClusterRole(out, object, 'checked');
}

function wholeClusterRole(out: Errors, object: ClusterRole, values: Values): void {
	objectMeta(out, object.metadata, { name: roleName, namespaced: false, finalizers: true });
	rules(out, object.rules ?? [], false);
	const aggregation = object.aggregationRule;
	if (aggregation === undefined) return;
	const at = 'aggregationRule.clusterRoleSelectors';
	const selectors = aggregation.clusterRoleSelectors ?? [];
	if (selectors.length === 0) out.push(required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
	for (const [i, selector] of selectors.entries()) {
		labelSelector(out, `${at}[${i}]`, selector, values);
		if (selects(selector, {}) === undefined) out.push(invalidValue(`${at}[${i}]`, null, 'invalid label selector.'));
	}
}

export function roleBinding(out: Errors, object: RoleBinding): void {
	objectMeta(out, object.metadata, { name: roleName, namespaced: true, finalizers: true });
	roleRef(out, object.roleRef, ['Role', 'ClusterRole']);
	for (const [i, subject] of (object.subjects ?? []).entries()) checkSubject(out, `subjects[${i}]`, subject, true);
}

export function clusterRoleBinding(out: Errors, object: ClusterRoleBinding): void {
	objectMeta(out, object.metadata, { name: roleName, namespaced: false, finalizers: true });
	roleRef(out, object.roleRef, ['ClusterRole']);
	for (const [i, subject] of (object.subjects ?? []).entries()) checkSubject(out, `subjects[${i}]`, subject, false);
}

function roleRef(out: Errors, { apiGroup = '', kind = '', name = '' }: RoleRef, kinds: readonly string[]): void {
	if (apiGroup !== GROUP) out.push(notSupported('roleRef.apiGroup', apiGroup, [GROUP]));
	if (!kinds.includes(kind)) out.push(notSupported('roleRef.kind', kind, kinds));
	if (present(out, 'roleRef.name', name)) texts(out, 'roleRef.name', name, pathSegment(name));
}

function checkSubject(out: Errors, at: string, { kind, name, apiGroup = '', namespace = '' }: RbacSubject, inNamespace: boolean): void {
	present(out, `${at}.name`, name);
	switch (kind) {
		case 'ServiceAccount':
			if (name !== '') texts(out, `${at}.name`, name, dnsSubdomain(name));
			if (apiGroup !== '') out.push(notSupported(`${at}.apiGroup`, apiGroup, ['']));
			if (!inNamespace && namespace === '') out.push(required(`${at}.namespace`));
			break;
		case 'User':
		case 'Group':
			if (apiGroup !== GROUP) out.push(notSupported(`${at}.apiGroup`, apiGroup, [GROUP]));
			break;
		default:
			out.push(notSupported(`${at}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
	}
}

export function roleUpdate(out: Errors, object: Role, old: Role): void {
	role(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
}

export function clusterRoleUpdate(out: Errors, object: ClusterRole, old: ClusterRole): void {
	// Values that were wrong before are left to what makes a selector of them, which says less.
	wholeClusterRole(out, object, valuesAfter(...(old.aggregationRule?.clusterRoleSelectors ?? [])));
	objectMetaUpdate(out, object.metadata, old.metadata);
}

function roleRefUpdate(out: Errors, ref: RoleRef, old: RoleRef): void {
	if (!same(ref, old))
		out.push(invalidValue('roleRef', { APIGroup: ref.apiGroup, Kind: ref.kind, Name: ref.name }, 'cannot change roleRef'));
}

export function roleBindingUpdate(out: Errors, object: RoleBinding, old: RoleBinding): void {
	roleBinding(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
	roleRefUpdate(out, object.roleRef, old.roleRef);
}

export function clusterRoleBindingUpdate(out: Errors, object: ClusterRoleBinding, old: ClusterRoleBinding): void {
	clusterRoleBinding(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
	roleRefUpdate(out, object.roleRef, old.roleRef);
}
