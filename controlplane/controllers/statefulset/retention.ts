/** Who owns the claims of a StatefulSet's pods, by its retention policy: the set, so that they go with it, or a pod that is scaled away. Pure. */
import type { ObjectMeta, OwnerReference, PersistentVolumeClaim, Pod, StatefulSet } from '../../../api/gen/types.ts';
import { PODS, STATEFUL_SETS } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { controllerOf, controllerRef } from '../owned.ts';
import { isInRange, ordinalOf } from './identity.ts';

/** The owner references the claim should have; undefined where it has them. */
export function wantedOwners(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): readonly OwnerReference[] | undefined {
	const present = claim.metadata.ownerReferences ?? [];
	const isRef = (ref: OwnerReference, kind: string, { name }: ObjectMeta): boolean => ref.kind === kind && ref.name === name;
	const isSet = (ref: OwnerReference): boolean => isRef(ref, 'StatefulSet', set.metadata);
	const isPod = (ref: OwnerReference): boolean => isRef(ref, 'Pod', pod.metadata);
	// References to a former set or pod of these names are the garbage collector's.
	if (present.some((ref) => (isSet(ref) && ref.uid !== set.metadata.uid) || (isPod(ref) && ref.uid !== pod.metadata.uid))) return undefined;
	const others = present.filter((ref) => !isSet(ref) && !isPod(ref));
	const controller = controllerOf(claim);
	const wanted = controller !== undefined && others.includes(controller) ? others : [...others, ...ownersByPolicy(set, pod)];
	return sameButNulls(wanted, present) ? undefined : wanted;
}

function ownersByPolicy(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
	const { whenScaled = 'Retain', whenDeleted = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
	const isScaledDown = !isInRange(set, ordinalOf(set, pod));
	if (whenScaled === 'Delete' && isScaledDown) return [controllerRef(PODS, pod)];
	return whenDeleted === 'Delete' ? [controllerRef(STATEFUL_SETS, set)] : [];
}

/** After scaling down and up again: the claim still belongs to the pod that had this name before, and goes with it. */
export function goesWithFormerPod(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): boolean {
	const { whenScaled = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
	if (whenScaled === 'Retain') return false;
	return (claim.metadata.ownerReferences ?? []).some(
		(ref) => ref.kind === 'Pod' && ref.name === pod.metadata.name && ref.uid !== pod.metadata.uid,
	);
}

/** Somebody else is the claim's controller, or a former set or pod of these names owns it: a policy that deletes does not touch it, and one that retains is not meant. */
export function isSomebodyElses(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): boolean {
	const { whenScaled = 'Retain', whenDeleted = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
	if (whenScaled === 'Retain' && whenDeleted === 'Retain') return false;
	return (claim.metadata.ownerReferences ?? []).some(({ kind, name, uid, controller }) => {
		const named = [
			{ ...set, kind: 'StatefulSet' },
			{ ...pod, kind: 'Pod' },
		].find((own) => own.kind === kind && own.metadata.name === name);
		return named === undefined ? controller === true : named.metadata.uid !== uid;
	});
}
