/** The claims that a pod's volumes name, those of its ephemeral volumes among them. Pure. */
import type { Pod, Volume } from '../gen/types.ts';
import { keyOf, type Key } from '../resource.ts';

export interface PodClaim {
	readonly volume: Volume;
	/** Name of the claim, in the pod's namespace. */
	readonly name: string;
	/** Made from the pod: it must be the pod's own. */
	readonly isEphemeral: boolean;
}

export function podClaims(pod: Pod): readonly PodClaim[] {
	const claims: PodClaim[] = [];
	for (const volume of pod.spec?.volumes ?? []) {
		if (volume.persistentVolumeClaim !== undefined)
			claims.push({ volume, name: volume.persistentVolumeClaim.claimName, isEphemeral: false });
		else if (volume.ephemeral !== undefined) claims.push({ volume, name: `${pod.metadata.name}-${volume.name}`, isEphemeral: true });
	}
	return claims;
}

export function claimKeysOf(pod: Pod): readonly Key[] {
	return podClaims(pod).map(({ name }) => keyOf({ metadata: { namespace: pod.metadata.namespace, name } }));
}

/** Whether somebody made the claim for just this pod; only such a one serves an ephemeral volume. */
export function isOwnedBy(
	claim: { readonly metadata: { readonly ownerReferences?: { uid: string; controller?: boolean | undefined }[] | undefined } },
	pod: Pod,
): boolean {
	return claim.metadata.ownerReferences?.some((ref) => ref.controller === true && ref.uid === pod.metadata.uid) === true;
}
