/** Conditions of pods say of which generation they were told (upstream's PodObservedGenerationTracking). */
import type { Pod } from '../gen/types.ts';

/** The field as it stands in a condition; nothing for a pod that has no generation. */
export function observedGeneration({ metadata: { generation } }: Pod): { readonly observedGeneration?: number } {
	return generation === undefined ? {} : { observedGeneration: generation };
}
