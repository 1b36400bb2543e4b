/** The kinds that have a guard. */
import type { RbacAuthorizer } from '../authz/rbac.ts';
import type { Authorizer } from '../contracts.ts';
import type { Guards } from './guard.ts';
import { RoleEscalation } from './role-escalation.ts';
import { signedRequest } from './signed-request.ts';

interface Deps {
	readonly authorizer: Authorizer;
	readonly rbac: RbacAuthorizer;
}

export function standardGuards(deps: Deps): Guards {
	const escalation = new RoleEscalation(deps);
	return new Map([
		['certificates.k8s.io/CertificateSigningRequest', signedRequest],
		['rbac.authorization.k8s.io/Role', escalation],
		['rbac.authorization.k8s.io/RoleBinding', escalation],
		['rbac.authorization.k8s.io/ClusterRole', escalation],
		['rbac.authorization.k8s.io/ClusterRoleBinding', escalation],
	]);
}
