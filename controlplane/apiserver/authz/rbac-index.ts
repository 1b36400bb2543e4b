/** Roles and bindings of the store, kept by subject, so that one decision looks only at bindings that name the user or a group. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RbacSubject as Subject } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../../api/resources.ts';
import type { Decision, ObjectReader, UserInfo } from '../contracts.ts';

/** One subject of one binding. */
export interface Grant {
	readonly bindingKind: 'ClusterRoleBinding' | 'RoleBinding';
	/** '' for a ClusterRoleBinding. */
	readonly namespace: string;
	readonly roleKind: string;
	readonly roleName: string;
	/** The decision on what the role allows. */
	readonly allows: Decision;
}

type Binding = ClusterRoleBinding | RoleBinding;

export class RbacIndex {
	readonly #clusterRoles = new Map<Key, readonly PolicyRule[]>();
	readonly #roles = new Map<Key, readonly PolicyRule[]>();
	/** Scope ('' or namespace), then subject, then binding key. */
	readonly #grants = new Map<string, Map<string, Map<Key, Grant>>>();
	readonly #subjectsOf = new Map<string, readonly string[]>();
	readonly #following = new DisposableStack();
	#changes = 0;

	constructor(objects: ObjectReader) {
		for (const role of objects.list(CLUSTER_ROLES)) this.#setRole(this.#clusterRoles, keyOf(role), role);
		for (const role of objects.list(ROLES)) this.#setRole(this.#roles, keyOf(role), role);
		for (const binding of objects.list(CLUSTER_ROLE_BINDINGS)) this.#setBinding('ClusterRoleBinding', keyOf(binding), binding);
		for (const binding of objects.list(ROLE_BINDINGS)) this.#setBinding('RoleBinding', keyOf(binding), binding);
		this.#following.use(objects.onChange(CLUSTER_ROLES, (c) => this.#setRole(this.#clusterRoles, c.key, c.after)));
		this.#following.use(objects.onChange(ROLES, (c) => this.#setRole(this.#roles, c.key, c.after)));
		this.#following.use(objects.onChange(CLUSTER_ROLE_BINDINGS, (c) => this.#setBinding('ClusterRoleBinding', c.key, c.after)));
		this.#following.use(objects.onChange(ROLE_BINDINGS, (c) => this.#setBinding('RoleBinding', c.key, c.after)));
	}

	/** Grows with every change: what was decided before may be decided otherwise after. */
	get changes(): number {
		return this.#changes;
	}

	/** The grants that name this user or one of its groups, in a scope: '' for cluster-wide ones, else a namespace. */
	grants(user: UserInfo, scope: string): readonly Grant[] {
		const subjects = this.#grants.get(scope);
		if (subjects === undefined) return [];
		const found: Grant[] = [];
		for (const subject of subjectsOf(user)) {
			const bindings = subjects.get(subject);
			if (bindings !== undefined) found.push(...bindings.values());
		}
		return found;
	}

	/** The rules of a role, undefined where there is no such role. */
	rules(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
		return kind === 'ClusterRole' ? this.#clusterRoles.get(name) : this.#roles.get(`${namespace}/${name}`);
	}

	[Symbol.dispose](): void {
		this.#following.dispose();
	}

	#setRole(roles: Map<Key, readonly PolicyRule[]>, key: Key, role: ClusterRole | Role | undefined): void {
		this.#changes++;
		if (role === undefined) roles.delete(key);
		else roles.set(key, role.rules ?? []);
	}

	#setBinding(bindingKind: Grant['bindingKind'], key: Key, binding: Binding | undefined): void {
		this.#changes++;
		const namespace = bindingKind === 'RoleBinding' ? key.slice(0, key.indexOf('/')) : '';
		const bindingName = bindingKind === 'RoleBinding' ? key.slice(namespace.length + 1) : key;
		const scope = this.#grants.get(namespace) ?? new Map<string, Map<Key, Grant>>();
		const id = `${bindingKind} ${key}`;
		for (const subject of this.#subjectsOf.get(id) ?? []) {
			const bindings = scope.get(subject);
			bindings?.delete(key);
			if (bindings?.size === 0) scope.delete(subject);
		}
		this.#subjectsOf.delete(id);
		if (binding !== undefined) {
			const subjects: string[] = [];
			for (const subject of binding.subjects ?? []) {
				const who = subjectKey(subject, namespace);
				if (who === undefined) continue;
				subjects.push(who);
				const bindings = scope.get(who) ?? new Map<Key, Grant>();
				if (!bindings.has(key))
					bindings.set(key, {
						bindingKind,
						namespace,
						roleKind: binding.roleRef.kind,
						roleName: binding.roleRef.name,
						allows: { allowed: true, denied: false, reason: allowedBy(bindingKind, namespace, bindingName, subject, binding) },
					});
				scope.set(who, bindings);
			}
			this.#subjectsOf.set(id, subjects);
		}
		if (scope.size === 0) this.#grants.delete(namespace);
		else this.#grants.set(namespace, scope);
	}
}

/** Upstream's wording, where a namespaced binding is written name/namespace. */
function allowedBy(kind: string, namespace: string, name: string, subject: Subject, { roleRef }: Binding): string {
	const binding = kind === 'RoleBinding' ? `${name}/${namespace}` : name;
	const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
	return `RBAC: allowed by ${kind} "${binding}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${who}"`;
}

/** Authenticators give the same user object for the same credentials. */
const subjects = new WeakMap<UserInfo, readonly string[]>();

function subjectsOf(user: UserInfo): readonly string[] {
	let known = subjects.get(user);
	if (known === undefined) subjects.set(user, (known = [`user ${user.name}`, ...user.groups.map((g) => `group ${g}`)]));
	return known;
}

function subjectKey(subject: Subject, namespace: string): string | undefined {
	switch (subject.kind) {
		case 'User':
			return `user ${subject.name}`;
		case 'Group':
			return `group ${subject.name}`;
		case 'ServiceAccount': {
			const of = subject.namespace ?? namespace;
			return of === '' ? undefined : `user system:serviceaccount:${of}:${subject.name}`;
		}
		default:
			return undefined;
	}
}
