/** When a pod must leave its node because of NoExecute taints. Pure; upstream's tainteviction rules. */
import type { Taint, Toleration } from '../../../api/gen/types.ts';
import { tolerates } from '../../../api/pod/tolerations.ts';

export type Stay = { readonly type: 'stay' } | { readonly type: 'leave'; readonly at: number };

/** @param now ms since the epoch: when taints that do not say when they came were first seen */
export function stayOf(taints: readonly Taint[], tolerations: readonly Toleration[], now: number): Stay {
	const harsh = taints.filter((t) => t.effect === 'NoExecute');
	if (harsh.length === 0) return { type: 'stay' };
	let seconds = Number.POSITIVE_INFINITY;
	let since = Number.NEGATIVE_INFINITY;
	for (const taint of harsh) {
		const tolerating = tolerations.filter((t) => tolerates(t, taint));
		if (tolerating.length === 0) return { type: 'leave', at: now };
		for (const { tolerationSeconds } of tolerating)
			if (tolerationSeconds !== undefined) seconds = Math.min(seconds, Math.max(0, tolerationSeconds));
		const added = taint.timeAdded === undefined ? now : Date.parse(taint.timeAdded);
		since = Math.max(since, added);
	}
	return Number.isFinite(seconds) ? { type: 'leave', at: since + seconds * 1000 } : { type: 'stay' };
}
