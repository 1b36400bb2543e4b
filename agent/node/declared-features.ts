/** What not every kubelet can do and this one says of itself; and pods' changes that need what it does not say (component-helpers nodedeclaredfeatures). */
import type { Pod } from '../../api/gen/types.ts';
import { sameJson } from '../../api/same-json.ts';
import { isSidecar } from '../pod/containers.ts';

/** Those that scheduler and API server of 1.36 ask nodes for and this one has; sorted. */
export const DECLARED_FEATURES: readonly string[] = ['InPlacePodLevelResourcesVerticalScaling', 'RestartAllContainersOnContainerExits'];

/** Pure: what the change of a pod needs of its node that this one does not have. Its API server keeps such changes away, but not of any age. */
export function missingFeatures(before: Pod, after: Pod): readonly string[] {
	return neededBy(before, after).filter((name) => !DECLARED_FEATURES.includes(name));
}

function neededBy({ spec: before }: Pod, { spec: after }: Pod): readonly string[] {
	const resizesInit = before?.initContainers?.some(
		(c, i) => !isSidecar(c) && !sameJson(c.resources ?? {}, after?.initContainers?.[i]?.resources ?? {}),
	);
	return [
		...(sameJson(before?.resources ?? {}, after?.resources ?? {}) ? [] : ['InPlacePodLevelResourcesVerticalScaling']),
		...(resizesInit === true ? ['InPlacePodVerticalScalingInitContainers'] : []),
	];
}
