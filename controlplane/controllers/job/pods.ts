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

/** Pods that are being deleted are replaced only once they have ended. */
export function replacesEndedOnly({ spec }: Job): boolean {
	return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/** It ended badly; one that is being deleted counts as such at once, since it may never say how it ended. */
export function hasFailed(job: Job, { metadata, status }: Pod): boolean {
	if (status?.phase === 'Failed') return true;
	return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && !replacesEndedOnly(job);
}

/** When the pod's last container ended; else since when it is not ready, when its deletion was asked for, or its creation. ms since the epoch. */
export function finishedAt(pod: Pod): number {
	const sidecars = new Set((pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
	const last = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? []).filter((s) => sidecars.has(s.name))];
	const ends = last.map((s) => Date.parse(s.state?.terminated?.finishedAt ?? ''));
	if (ends.length > 0 && !ends.some(Number.isNaN)) return Math.max(...ends);
	const unready = (pod.status?.conditions ?? []).find((c) => c.type === 'Ready' && c.status === 'False')?.lastTransitionTime;
	if (unready !== undefined) return Date.parse(unready);
	const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
	if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
	return Date.parse(creationTimestamp ?? '') || 0;
}

/** How often containers of running pods were restarted; counts against the back-off limit with restartPolicy OnFailure. */
export function restartsOf(pods: readonly Pod[]): number {
	return pods
		.flatMap((pod) => [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])])
		.reduce((sum, s) => sum + (s.restartCount ?? 0), 0);
}
