/** What a Job reads from its pods. Pure. */
import type { Job, Pod } from '../../../api/gen/types.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const INDEX_ANNOTATION = 'batch.kubernetes.io/job-completion-index';
export const INDEX_LABEL = INDEX_ANNOTATION;

export function isTracked(pod: Pod): boolean {
	return (pod.metadata.finalizers ?? []).includes(TRACKING_FINALIZER);
}

export function indexOf(pod: Pod): number | undefined {
	const text = pod.metadata.annotations?.[INDEX_ANNOTATION];
	return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

export function isIndexed(job: Job): boolean {
	return job.spec?.completionMode === 'Indexed';
}

/** When the pod's last container ended; its deletion or creation otherwise. ms since the epoch. */
export function finishedAt(pod: Pod): number {
	const ends = (pod.status?.containerStatuses ?? []).map((s) => Date.parse(s.state?.terminated?.finishedAt ?? ''));
	const latest = Math.max(...ends.filter((t) => !Number.isNaN(t)));
	if (Number.isFinite(latest)) return latest;
	const ready = (pod.status?.conditions ?? []).find((c) => c.type === 'Ready')?.lastTransitionTime;
	return Date.parse(ready ?? pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp ?? '') || 0;
}

/** How often containers of running pods were restarted; counts against the back-off limit with restartPolicy OnFailure. */
export function restartsOf(pods: readonly Pod[]): number {
	return pods
		.flatMap((pod) => [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])])
		.reduce((sum, s) => sum + (s.restartCount ?? 0), 0);
}
