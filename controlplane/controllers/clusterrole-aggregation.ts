/** ClusterRole aggregation: a role with an aggregationRule holds the rules of all roles its selectors choose. */
import type { ClusterRole, PolicyRule } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { CLUSTER_ROLES } from '../../api/resources.ts';
import { matchesLabelSelector } from '../../api/selector/label.ts';
import { sameButNulls } from '../../api/same-json.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import type { Reconciler } from './reconciler.ts';

/** Keys are roles that aggregate: any change of any role may concern any of them. */
export function clusterRoleAggregation(client: Client, informers: Informers): Reconciler {
	const roles = informers.get(CLUSTER_ROLES);
	const aggregating = (): readonly Key[] =>
		roles.lister
			.list()
			.filter((role) => role.aggregationRule !== undefined)
			.map(keyOf);
	return {
		sources: [keysFrom(roles, aggregating)],
		async reconcile(key, signal) {
			const role = roles.lister.get(key);
			if (role?.aggregationRule === undefined) return;
			const rules = aggregate(role, roles.lister.list());
			if (sameButNulls(rules, role.rules ?? [])) return;
			const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: key }, rules };
			await client.patch(
				CLUSTER_ROLES,
				key,
				{ type: 'apply', body, force: true },
				{ fieldManager: 'clusterrole-aggregation-controller', signal },
			);
		},
	};
}

/** The rules of the roles that each selector chooses, in order of their names, each rule once. Pure. */
export function aggregate(role: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
	const others = roles
		.filter((other) => other.metadata.name !== role.metadata.name)
		.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
	const chosen = (role.aggregationRule?.clusterRoleSelectors ?? []).flatMap((selector) =>
		others.filter((other) => matchesLabelSelector(selector, other.metadata.labels ?? {})),
	);
	const rules: PolicyRule[] = [];
	for (const rule of chosen.flatMap((other) => other.rules ?? [])) if (!rules.some((known) => sameButNulls(known, rule))) rules.push(rule);
	return rules;
}
