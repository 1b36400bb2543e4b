/** How long a pod may stay on its node in spite of NoExecute taints. Pure; upstream's tainteviction rules. */
import type { Taint, Toleration } from '../../../api/gen/types.ts';
import { tolerates } from '../../../api/pod/tolerations.ts';
/** For good; not a moment; or for so long, from when that is first seen. */
export type Stay = { readonly type: 'stay' } | { readonly type: 'leave' } | { readonly type: 'bears'; readonly ms: number };

/** When a taint came says nothing: who comes to a node later tolerates as long. */
export function stayOf(taints: readonly Taint[], tolerations: readonly Toleration[]): Stay {
	let seconds = Number.POSITIVE_INFINITY;
	for (const taint of taints.filter((t) => t.effect === 'NoExecute')) {
		const tolerating = tolerations.filter((t) => tolerates(t, taint));
		if (tolerating.length === 0) return { type: 'leave' };
		for (const { tolerationSeconds } of tolerating)
			if (tolerationSeconds !== undefined) seconds = Math.min(seconds, Math.max(0, tolerationSeconds));
	}
	return Number.isFinite(seconds) ? { type: 'bears', ms: seconds * 1000 } : { type: 'stay' };
}
