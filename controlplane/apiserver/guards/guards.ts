/** The kinds that have a guard. */
import { MUTATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICIES } from '../../../api/resources.ts';
import type { RbacAuthorizer } from '../authz/rbac.ts';
import type { Authorizer, ObjectReader } from '../contracts.ts';
import { ClaimGuard } from './claim.ts';
import { templateGuard } from './device-admin-access.ts';
import type { Guard, Guards } from './guard.ts';
import { ParamKindAccess } from './param-kind.ts';
import { ParamRefAccess } from './param-ref.ts';
import type { ResourceOfKind } from './param-resource.ts';
import { RoleEscalation } from './role-escalation.ts';
import { signedRequest } from './signed-request.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly authorizer: Authorizer;
	readonly rbac: RbacAuthorizer;
	readonly resourceOf: ResourceOfKind;
}

export function standardGuards(deps: Deps): Guards {
	const paramKind = new ParamKindAccess(deps);
	const escalation = new RoleEscalation(deps);
	return new Map<string, Guard>([
		['admissionregistration.k8s.io/ValidatingAdmissionPolicy', paramKind],
		['admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', new ParamRefAccess(deps, VALIDATING_ADMISSION_POLICIES)],
		['admissionregistration.k8s.io/MutatingAdmissionPolicy', paramKind],
		['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', new ParamRefAccess(deps, MUTATING_ADMISSION_POLICIES)],
		['certificates.k8s.io/CertificateSigningRequest', signedRequest],
		['rbac.authorization.k8s.io/Role', escalation],
		['rbac.authorization.k8s.io/RoleBinding', escalation],
		['rbac.authorization.k8s.io/ClusterRole', escalation],
		['rbac.authorization.k8s.io/ClusterRoleBinding', escalation],
		['resource.k8s.io/ResourceClaim', new ClaimGuard(deps)],
		['resource.k8s.io/ResourceClaimTemplate', templateGuard(deps.objects)],
	]);
}
