/** What one of our own parts may do: a ClusterRole with its name, bound to it. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, RbacSubject } from '../../api/gen/types.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';

/** A role of that name that is there gets these rules. */
export async function grant(
	client: Client,
	name: string,
	rules: readonly PolicyRule[],
	subject: RbacSubject,
	signal: AbortSignal,
): Promise<void> {
	const present = ignore('AlreadyExists');
	const role: ClusterRole = { metadata: { name }, rules: [...rules] };
	const binding: ClusterRoleBinding = {
		metadata: { name },
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
		subjects: [subject],
	};
	if ((await client.create(CLUSTER_ROLES, role, { signal }).catch(present)) === undefined)
		await client.patch(CLUSTER_ROLES, name, { type: 'merge', body: { rules } }, { signal });
	await client.create(CLUSTER_ROLE_BINDINGS, binding, { signal }).catch(present);
}
