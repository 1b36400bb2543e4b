/** The RBAC authorizer: allows what a role bound to the user or one of its groups allows; never denies. */
import type { PolicyRule } from '../../../api/gen/types.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../contracts.ts';
import type { RbacIndex } from './rbac-index.ts';
import { ruleAllows } from './rules.ts';

/** A role that a binding refers to. */
export interface RoleName {
	readonly kind: string;
	readonly name: string;
}

export class RbacAuthorizer implements Authorizer {
	readonly #index: RbacIndex;
	/** What is asked over and over, with the state of roles and bindings that it was decided by. */
	readonly #decided = new WeakMap<Attributes, { readonly at: number; readonly decision: Decision }>();

	constructor(index: RbacIndex) {
		this.#index = index;
	}

	authorize(asked: Attributes): Promise<Decision> {
		return Promise.resolve(this.decide(asked));
	}

	/** The decision at once: everything it needs is in memory. */
	decide(asked: Attributes): Decision {
		if (asked.lasting !== true) return this.#decide(asked);
		const known = this.#decided.get(asked);
		if (known !== undefined && known.at === this.#index.changes) return known.decision;
		const decision = this.#decide(asked);
		this.#decided.set(asked, { at: this.#index.changes, decision });
		return decision;
	}

	#decide(asked: Attributes): Decision {
		let errors: Set<string> | undefined;
		for (const scope of scopesOf(asked))
			for (const grant of this.#index.grants(asked.user, scope)) {
				const rules = this.#index.rules(grant.roleKind, grant.namespace, grant.roleName);
				if (rules === undefined) (errors ??= new Set()).add(missingRole({ kind: grant.roleKind, name: grant.roleName }));
				else if (rules.some((rule) => ruleAllows(rule, asked))) return grant.allows;
			}
		return { allowed: false, denied: false, reason: errors === undefined ? '' : `RBAC: ${goErrors([...errors])}` };
	}

	/** Every rule that applies to the user in a namespace ('' for cluster-wide rules only), for escalation checks and rule reviews. */
	rulesFor(user: UserInfo, namespace: string): { readonly rules: readonly PolicyRule[]; readonly missing: readonly RoleName[] } {
		const rules: PolicyRule[] = [];
		const missing = new Map<string, RoleName>();
		for (const scope of namespace === '' ? [''] : ['', namespace])
			for (const grant of this.#index.grants(user, scope)) {
				const found = this.#index.rules(grant.roleKind, grant.namespace, grant.roleName);
				if (found === undefined) missing.set(`${grant.roleKind}/${grant.roleName}`, { kind: grant.roleKind, name: grant.roleName });
				else rules.push(...found);
			}
		return { rules, missing: [...missing.values()] };
	}

	/** The rules of the role a binding in `namespace` refers to; undefined where there is none. */
	roleRules(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
		return this.#index.rules(kind, namespace, name);
	}
}

function scopesOf(asked: Attributes): readonly string[] {
	return asked.type === 'resource' && asked.namespace !== '' ? ['', asked.namespace] : [''];
}

/** As upstream's authorizer says it: of its listers, which know kinds. */
export function missingRole({ kind, name }: RoleName): string {
	return `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`;
}

/** Several errors in one, as Go's aggregates print them. */
export function goErrors(messages: readonly string[]): string {
	return messages.length === 1 ? `${messages[0]}` : `[${messages.join(', ')}]`;
}
