/** A pod's conditions and what they mean to workloads (upstream api/v1/pod). Pure. */
import type { Pod, PodCondition } from '../gen/types.ts';

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
	return pod.status?.conditions?.find((c) => c.type === type);
}

export function isReady(pod: Pod): boolean {
	return podCondition(pod, 'Ready')?.status === 'True';
}

/** When a ready pod became so, ms since the epoch; undefined for one that is not ready. */
export function readySince(pod: Pod): number | undefined {
	const condition = podCondition(pod, 'Ready');
	if (condition?.status !== 'True') return undefined;
	const since = condition.lastTransitionTime;
	return since === undefined || since === null ? 0 : Date.parse(since);
}

/** Ready for at least so long. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
	const since = readySince(pod);
	return since !== undefined && (minReadySeconds === 0 || (since > 0 && since + minReadySeconds * 1000 <= nowMs));
}
