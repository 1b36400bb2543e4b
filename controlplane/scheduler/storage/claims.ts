/** The claims of a pod, sorted by what has still to be done about them, or why it cannot be placed at all. Pure. */
import type { PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { BIND_COMPLETED, hasAnnotation } from '../../../api/storage/annotations.ts';
import { classOfClaim, waitsForConsumer } from '../../../api/storage/class.ts';
import { isOwnedBy, podClaims } from '../../../api/storage/pod-claims.ts';
import type { StorageView } from './view.ts';

export interface ClaimsByState {
	readonly bound: readonly PersistentVolumeClaim[];
	/** They wait for a node. */
	readonly delayed: readonly PersistentVolumeClaim[];
	/** The binder has still to find them a volume. */
	readonly immediate: readonly PersistentVolumeClaim[];
}

/** Undefined for a pod without claims. */
export function claimsByState(pod: Pod, view: StorageView): ClaimsByState | { readonly refused: string } | undefined {
	const all = podClaims(pod);
	if (all.length === 0) return undefined;
	const [bound, delayed, immediate]: PersistentVolumeClaim[][] = [[], [], []];
	for (const { name, isEphemeral } of all) {
		const claim = view.claim(keyOf({ metadata: { namespace: pod.metadata.namespace, name } }));
		const refused = refusal(pod, name, claim, isEphemeral);
		if (claim === undefined || refused !== undefined) return { refused: refused ?? '' };
		if (isFullyBound(claim)) bound?.push(claim);
		else if ((claim.spec?.volumeName ?? '') === '' && waitsForConsumer(view.storageClass(classOfClaim(claim)))) delayed?.push(claim);
		else immediate?.push(claim);
	}
	return { bound: bound ?? [], delayed: delayed ?? [], immediate: immediate ?? [] };
}

export function isFullyBound(claim: PersistentVolumeClaim): boolean {
	return (claim.spec?.volumeName ?? '') !== '' && hasAnnotation(claim, BIND_COMPLETED);
}

export function notFound(claim: string): string {
	return `persistentvolumeclaim "${claim}" not found`;
}

function refusal(pod: Pod, name: string, claim: PersistentVolumeClaim | undefined, isEphemeral: boolean): string | undefined {
	if (claim === undefined)
		return isEphemeral ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"` : notFound(name);
	if (claim.status?.phase === 'Lost')
		return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
	if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
	return isEphemeral && !isOwnedBy(claim, pod) ? `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)` : undefined;
}
