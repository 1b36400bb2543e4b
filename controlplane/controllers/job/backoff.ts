/** How long a Job waits after failures: what is remembered of them outlives the pods, which may be deleted. Pure; upstream's backoff_utils. */
import type { Job, Pod } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { finishedAt, hasFailed, indexOf, isIndexed, isTracked } from './pods.ts';

/** Upstream's DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff. */
export const BACKOFF_MS = 10_000;
export const MAX_BACKOFF_MS = 600_000;

export interface BackoffRecord {
	/** Since the last success; also those that a failure policy ignores. */
	readonly failures: number;
	/** ms since the epoch; 0 without any. */
	readonly lastFailureAt: number;
	/** uids of the ended pods that it knows of already. */
	readonly seen: ReadonlySet<string>;
}

/** @param before undefined: nothing is remembered, and all that is there counts */
export function recordAfter(before: BackoffRecord | undefined, job: Job, pods: readonly Pod[]): BackoffRecord {
	const ended = pods.filter((pod) => (isTracked(pod) || isTerminal(pod)) && counts(job, pod) && (succeeded(pod) || hasFailed(job, pod)));
	const seen = new Set(ended.map(uidOf));
	const fresh = ended.filter((pod) => before?.seen.has(uidOf(pod)) !== true);
	const lastSuccess = Math.max(...fresh.filter(succeeded).map(finishedAt));
	const failedAt = fresh.filter((pod) => !succeeded(pod)).map(finishedAt);
	if (lastSuccess === Number.NEGATIVE_INFINITY)
		return {
			failures: (before?.failures ?? 0) + failedAt.length,
			lastFailureAt: failedAt.length === 0 ? (before?.lastFailureAt ?? 0) : Math.max(...failedAt),
			seen,
		};
	const later = failedAt.filter((at) => at > lastSuccess);
	return { failures: later.length, lastFailureAt: Math.max(0, ...later), seen };
}

/** The wait before the next pod: doubled with each failure since the last success, counted from the last failure's end. */
export function backoffMs({ failures, lastFailureAt }: BackoffRecord, now: number): number {
	if (failures === 0) return 0;
	return Math.max(0, lastFailureAt + Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (failures - 1)) - now);
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
const succeeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded';

function counts(job: Job, pod: Pod): boolean {
	return !isIndexed(job) || (indexOf(pod) ?? Infinity) < (job.spec?.completions ?? 0);
}
