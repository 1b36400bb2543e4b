/** spec.backoffLimitPerIndex: how often each index has failed, which have failed for good, and when one may be tried again. Pure; upstream's backoff_utils and indexed_job_utils. */
import type { Job, Pod } from '../../../api/gen/types.ts';
import { isActive } from '../../../api/pod/phase.ts';
import { matchedRule } from './failure-policy.ts';
import { finishedAt, hasFailed, indexOf, isTracked } from './pods.ts';

/** On a pod: how often its index had failed before it. Failures that the policy ignores are counted apart. */
export const FAILURES_ANNOTATION = 'batch.kubernetes.io/job-index-failure-count';
export const IGNORED_ANNOTATION = 'batch.kubernetes.io/job-index-ignored-failure-count';

export interface IndexFailures {
	readonly counted: number;
	readonly ignored: number;
}

export const NEVER_FAILED: IndexFailures = { counted: 0, ignored: 0 };

export function limitsEachIndex(job: Job): boolean {
	return job.spec?.backoffLimitPerIndex !== undefined;
}

/** What the next pod of the index has to say, after this one failed. */
export function failuresAfter(job: Job, failed: Pod): IndexFailures {
	const { counted, ignored } = failuresBefore(failed);
	const isIgnored = matchedRule(job, failed)?.action === 'Ignore';
	return { counted: counted + (isIgnored ? 0 : 1), ignored: ignored + (isIgnored ? 1 : 0) };
}

function failuresBefore(pod: Pod): IndexFailures {
	const read = (name: string): number => Number(pod.metadata.annotations?.[name] ?? 0) || 0;
	return { counted: read(FAILURES_ANNOTATION), ignored: read(IGNORED_ANNOTATION) };
}

/** Adds those that these pods make fail for good. */
export function addFailedIndexes(job: Job, pods: readonly Pod[], known: Set<number>): Set<number> {
	for (const pod of pods) {
		const index = indexOf(pod);
		if (index !== undefined && index < (job.spec?.completions ?? 0) && failsIndex(job, pod)) known.add(index);
	}
	return known;
}

function failsIndex(job: Job, pod: Pod): boolean {
	if (!hasFailed(job, pod)) return false;
	const action = matchedRule(job, pod)?.action;
	if (action === 'FailIndex') return true;
	return action !== 'Ignore' && (job.spec?.backoffLimitPerIndex ?? 0) <= failuresBefore(pod).counted;
}

/** The last failed pod of each index that is to be tried again. It stays tracked until its successor is there, since it alone knows how often the index has failed. */
export function toReplace(job: Job, pods: readonly Pod[], over: (index: number) => boolean): ReadonlyMap<number, Pod> {
	const running = new Set(pods.filter(isActive).map(indexOf));
	const last = new Map<number, Pod>();
	for (const pod of pods) {
		const index = indexOf(pod);
		if (index === undefined || !hasFailed(job, pod) || !isTracked(pod) || running.has(index) || over(index)) continue;
		const other = last.get(index);
		if (other === undefined || total(failuresBefore(other)) <= total(failuresBefore(pod))) last.set(index, pod);
	}
	return last;
}

const total = ({ counted, ignored }: IndexFailures): number => counted + ignored;

/** How long the index waits: doubled with each of its failures, from the end of the last. ms */
export function indexBackoffMs(failed: Pod, now: number, backoff: { readonly firstMs: number; readonly maxMs: number }): number {
	const delay = Math.min(backoff.maxMs, backoff.firstMs * 2 ** total(failuresBefore(failed)));
	return Math.max(0, finishedAt(failed) + delay - now);
}
