/** Default roles and bindings as somebody left them, with what they lack (upstream's component-helpers auth/rbac/reconciliation): nothing is taken away. Pure. */
import type { ClusterRole, ClusterRoleBinding, RbacSubject as Subject, Role, RoleBinding } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { sameJson } from '../../../api/same-json.ts';
import { uncovered } from '../authz/covers.ts';

const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** Undefined: it stays as it is. */
export function reconciledRole<T extends ClusterRole | Role>(stored: T, wanted: T): T | undefined {
	if (isProtected(stored)) return undefined;
	const rules = stored.rules ?? [];
	const missing = uncovered(rules, wanted.rules ?? []);
	const next = {
		...stored,
		metadata: marked(stored, wanted),
		...(missing.length === 0 ? {} : { rules: [...rules, ...missing] }),
		...aggregation(stored as ClusterRole, wanted as ClusterRole),
	};
	return sameJson(next, stored) ? undefined : next;
}

/** A role that collects others without having been meant to does so no longer. */
function aggregation(
	{ aggregationRule: stored }: ClusterRole,
	{ aggregationRule: wanted }: ClusterRole,
): Pick<ClusterRole, 'aggregationRule'> {
	if (wanted === undefined) return stored === undefined ? {} : { aggregationRule: undefined };
	const selectors = stored?.clusterRoleSelectors ?? [];
	const missing = (wanted.clusterRoleSelectors ?? []).filter((one) => !selectors.some((other) => sameJson(one, other)));
	return missing.length === 0 ? {} : { aggregationRule: { ...stored, clusterRoleSelectors: [...selectors, ...missing] } };
}

/** Undefined: it stays as it is; "anew": it binds another role, which no update can change. */
export function reconciledBinding<T extends ClusterRoleBinding | RoleBinding>(stored: T, wanted: T): T | 'anew' | undefined {
	if (isProtected(stored)) return undefined;
	const [own, meant] = [stored.roleRef, wanted.roleRef];
	if (own.kind !== meant.kind || own.name !== meant.name || own.apiGroup !== meant.apiGroup) return 'anew';
	const has = new Set((stored.subjects ?? []).map(subjectText));
	const missing = (wanted.subjects ?? []).filter((subject) => !has.has(subjectText(subject)));
	const next = {
		...stored,
		metadata: marked(stored, wanted),
		...(missing.length === 0 ? {} : { subjects: [...(stored.subjects ?? []), ...missing] }),
	};
	return sameJson(next, stored) ? undefined : next;
}

function isProtected({ metadata }: KubeObject): boolean {
	return metadata.annotations?.[AUTO_UPDATE] === 'false';
}

/** With the labels and annotations that it is meant to have; those that are there count. */
function marked<M extends KubeObject['metadata']>({ metadata }: { readonly metadata: M }, wanted: KubeObject): M {
	const { labels, annotations } = wanted.metadata;
	return {
		...metadata,
		...(labels === undefined ? {} : { labels: { ...labels, ...metadata.labels } }),
		...(annotations === undefined ? {} : { annotations: { ...annotations, ...metadata.annotations } }),
	};
}

function subjectText({ kind, namespace = '', name }: Subject): string {
	return `${kind} ${namespace}/${name}`;
}
