/** Where a pod is in its life. Pure. */
import type { Pod } from '../gen/types.ts';

/** All containers have ended for good. */
export function isTerminal(pod: Pod): boolean {
	return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Neither ended nor being deleted: what workload controllers count (upstream controller.IsPodActive). */
export function isActive(pod: Pod): boolean {
	return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}
