/** The ResourceClaims of a pod: named by it, or made for it from templates (upstream dynamic-resource-allocation/resourceclaim). Pure. */
import type { Pod, PodResourceClaim, ResourceResourceClaim } from '../gen/types.ts';

/** Keeps a claim that is allocated (resource.k8s.io/v1, Finalizer). */
export const CLAIM_PROTECTION = 'resource.kubernetes.io/delete-protection';
/** ResourceClaimReservedForMaxSize. */
export const MAX_CLAIM_USERS = 256;

export interface PodClaim {
	readonly spec: PodResourceClaim;
	/** Undefined where none is needed, or none is made yet. */
	readonly name: string | undefined;
	/** Made from a template: it must belong to the pod. */
	readonly own: boolean;
	/** Its claim is yet to be made. */
	readonly awaited: boolean;
}

export function podClaimsOf(pod: Pod): readonly PodClaim[] {
	return (pod.spec?.resourceClaims ?? []).map((spec) => {
		if (spec.resourceClaimName !== undefined) return { spec, name: spec.resourceClaimName, own: false, awaited: false };
		const made = pod.status?.resourceClaimStatuses?.find(({ name }) => name === spec.name);
		return { spec, name: made?.resourceClaimName, own: true, awaited: made === undefined };
	});
}

export function isClaimOf(pod: Pod, { metadata }: ResourceResourceClaim): boolean {
	const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
	return metadata.namespace === pod.metadata.namespace && owner?.uid === pod.metadata.uid;
}

export function isReservedFor(pod: Pod, { status }: ResourceResourceClaim): boolean {
	return (status?.reservedFor ?? []).some(
		({ apiGroup = '', resource, uid }) => apiGroup === '' && resource === 'pods' && uid === pod.metadata.uid,
	);
}

export function canBeReserved({ status }: ResourceResourceClaim): boolean {
	return (status?.reservedFor?.length ?? 0) < MAX_CLAIM_USERS;
}
