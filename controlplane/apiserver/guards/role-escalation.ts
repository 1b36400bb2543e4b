/** Nobody grants what they do not hold: writes of roles and bindings are checked against the writer's own rules (upstream registry/rbac). */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from '../../../api/gen/types.ts';
import { goQuote } from '../../../api/go-quote.ts';
import { sameJson } from '../../../api/same-json.ts';
import { badRequest, forbidden, notFound, unknownFailure, type StatusError } from '../../../api/status.ts';
import { SUPERUSERS } from '../authz/chain.ts';
import { describeRules, uncovered } from '../authz/covers.ts';
import { goErrors, type RbacAuthorizer } from '../authz/rbac.ts';
import type { Authorizer } from '../contracts.ts';
import type { Guard, GuardedWrite } from './guard.ts';

const GROUP = 'rbac.authorization.k8s.io';

const EVERYTHING: readonly PolicyRule[] = [
	{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
	{ nonResourceURLs: ['*'], verbs: ['*'] },
];

interface Deps {
	readonly rbac: RbacAuthorizer;
	readonly authorizer: Authorizer;
}

export class RoleEscalation implements Guard {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	async permit(write: GuardedWrite, signal: AbortSignal): Promise<void> {
		if (write.user.groups.includes(SUPERUSERS)) return;
		const isBinding = write.resource.endsWith('bindings');
		if (isBinding) await this.#checkBinding(write, write.object as unknown as RoleBinding | ClusterRoleBinding, signal);
		else await this.#checkRole(write, write.object as unknown as Role | ClusterRole, signal);
	}

	async #checkRole(write: GuardedWrite, role: Role | ClusterRole, signal: AbortSignal): Promise<void> {
		const before = write.oldObject as unknown as ClusterRole | undefined;
		if (before !== undefined && isForCollection(role, before)) return;
		// Asked is about the name in the request's path.
		if (await this.#may(write, 'escalate', write.resource, write.verb === 'create' ? '' : write.name, signal)) return;
		this.#confirm(write, role.rules ?? []);
		// Who says which rules a role collects, or no longer collects, grants, in effect, everything.
		if (collects(role) || collects(before))
			this.#confirm(write, EVERYTHING, 'must have cluster-admin privileges to use the aggregationRule');
	}

	async #checkBinding(write: GuardedWrite, binding: RoleBinding | ClusterRoleBinding, signal: AbortSignal): Promise<void> {
		const before = write.oldObject as unknown as RoleBinding | undefined;
		if (before !== undefined && isForCollection(binding, before)) return;
		const { kind, name } = binding.roleRef;
		if (kind !== 'Role' && kind !== 'ClusterRole') throw unknownFailure(`unsupported role reference kind: ${goQuote(kind)}`);
		if (await this.#may(write, 'bind', pluralOf(kind), name, signal)) return;
		// Upstream's storage of roles cannot look where there is no namespace.
		if (kind === 'Role' && write.resource === 'clusterrolebindings') throw badRequest('Namespace parameter required.');
		const rules = this.#deps.rbac.roleRules(kind, write.namespace, name);
		if (rules === undefined) throw missingRole(write.resource, name);
		this.#confirm(write, rules);
	}

	async #may(write: GuardedWrite, verb: string, resource: string, name: string, signal: AbortSignal): Promise<boolean> {
		const { user, namespace } = write;
		const asked = { type: 'resource', user, verb, group: GROUP, version: '*', resource, subresource: '', namespace, name } as const;
		return (await this.#deps.authorizer.authorize(asked, signal)).allowed;
	}

	/** @param why instead of what is missing */
	#confirm(write: GuardedWrite, wanted: readonly PolicyRule[], why?: string): void {
		const { user, resource, namespace } = write;
		const { rules, missing: unknown } = this.#deps.rbac.rulesFor(user, namespace);
		const missing = uncovered(rules, wanted);
		if (missing.length === 0) return;
		const groups = user.groups.map(goQuote).join(' ');
		const errors = unknown.map((role) => missingRole(resource, role.name).message);
		const failed = errors.length === 0 ? '' : `; resolution errors: [${goErrors(errors)}]`;
		const message = `user ${goQuote(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${failed}`;
		throw forbidden({ group: GROUP, plural: resource }, write.object?.metadata.name ?? '', why ?? message);
	}
}

function pluralOf(kind: string): string {
	return kind === 'ClusterRole' ? 'clusterroles' : 'roles';
}

/** Upstream looks roles up in its storage here, which names what is missing by the resource of the request that it works for. */
function missingRole(asked: string, name: string): StatusError {
	return notFound({ group: GROUP, plural: asked }, name);
}

function collects(role: Role | ClusterRole | undefined): boolean {
	return ((role as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** True where nothing changes but what the garbage collector must be able to change, so that any object can go (upstream IsOnlyMutatingGCFields). */
function isForCollection(now: Written, before: Written): boolean {
	return sameJson(compared(now), compared(before));
}

type Written = Role | ClusterRole | RoleBinding | ClusterRoleBinding;

function compared({ apiVersion: _a, kind: _k, metadata, ...content }: Written): unknown {
	const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...others } = metadata;
	return { ...content, metadata: others };
}
