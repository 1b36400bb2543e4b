/** The volume's half and the claim's half of a binding (component-helpers GetBindVolumeToClaim, pv_controller bindClaimToVolume). Pure. */
import type { PersistentVolume, PersistentVolumeClaim } from '../gen/types.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, hasAnnotation } from './annotations.ts';
import { isBoundTo } from './match.ts';

/** The volume as it is once it names the claim; the same object where it does. */
export function boundVolume<T extends PersistentVolume>(volume: T, claim: PersistentVolumeClaim): T {
	const ref = volume.spec?.claimRef;
	const { namespace, name, uid, resourceVersion } = claim.metadata;
	const isNamed = ref?.name === name && ref?.namespace === namespace && ref?.uid === uid;
	const isMarked = isBoundTo(volume, claim) || hasAnnotation(volume, BOUND_BY_CONTROLLER);
	if (isNamed && isMarked) return volume;
	const claimRef = isNamed ? ref : { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
	const annotations = isMarked ? volume.metadata.annotations : { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
	return { ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } };
}

/** The claim as it is once it names the volume and says that the binding is done; the same object where it does. */
export function boundClaim<T extends PersistentVolumeClaim>(claim: T, volume: PersistentVolume): T {
	const isNamed = claim.spec?.volumeName === volume.metadata.name;
	if (isNamed && hasAnnotation(claim, BIND_COMPLETED)) return claim;
	const mark = isNamed ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
	return {
		...claim,
		metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...mark, [BIND_COMPLETED]: 'yes' } },
		spec: { ...claim.spec, volumeName: volume.metadata.name },
	};
}

/** The volume as it is once the claim is let go: one that the binder chose forgets it, one that people chose keeps its name. */
export function unboundVolume<T extends PersistentVolume>(volume: T): T {
	if (!hasAnnotation(volume, BOUND_BY_CONTROLLER))
		return { ...volume, spec: { ...volume.spec, claimRef: { ...volume.spec?.claimRef, uid: undefined } } };
	const { [BOUND_BY_CONTROLLER]: _, ...rest } = volume.metadata.annotations ?? {};
	const annotations = Object.keys(rest).length === 0 ? undefined : rest;
	return { ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef: undefined } };
}
