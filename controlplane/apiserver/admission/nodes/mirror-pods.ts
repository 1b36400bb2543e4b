/** What pods a kubelet may make: mirrors of its own static pods, which refer to nothing of the API (admitPodCreate of upstream's noderestriction). Pure. */
import type { OwnerReference, Pod } from '../../../../api/gen/types.ts';
import { apiReference } from '../../../../api/pod/api-reference.ts';
import { isMirrorPod } from '../target.ts';

/** Why the node may not make the pod; whether the owner is that very node is for the caller to see (`ownerUid`). */
export function mirrorPodFault(node: string, pod: Pod): string | undefined {
	const who = `node "${node}"`;
	if (!isMirrorPod(pod)) return `pod does not have "kubernetes.io/config.mirror" annotation, ${who} can only create mirror pods`;
	if (pod.spec?.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`;
	return ownerFault(node, pod.metadata.ownerReferences ?? []);
}

function ownerFault(node: string, [owner, ...more]: readonly OwnerReference[]): string | undefined {
	const only = `node "${node}" can only create pods with`;
	if (more.length > 0) return `${only} a single owner reference set to itself`;
	if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) return `${only} an owner reference set to itself`;
	if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
	if (owner.blockOwnerDeletion === true) return `node "${node}" must not set blockOwnerDeletion on an owner reference`;
	return undefined;
}

/** Why the mirror pod of the node may not refer to what it does. */
export function referenceFault(node: string, pod: Pod): string | undefined {
	const referred = apiReference(pod);
	if (referred === undefined) return undefined;
	return 'unknown' in referred
		? `error checking mirror pod for API references: unknown ${referred.unknown}`
		: `node "${node}" can not create pods that reference ${referred.what}`;
}
