/** What a Job needs done: finish, suspend, or more or fewer pods. Pure; upstream's syncJob. */
import type { Job, Pod } from '../../../api/gen/types.ts';
import { isActive, isTerminal } from '../../../api/pod/phase.ts';
import { lessUseful } from '../least-useful.ts';
import { BACKOFF_MS, backoffMs, MAX_BACKOFF_MS, recordAfter, type BackoffRecord } from './backoff.ts';
import { policyFailure } from './failure-policy.ts';
import { indexBackoffMs, limitsEachIndex } from './index-failures.ts';
import { indexOf, isIndexed, replacesEndedOnly, restartsOf } from './pods.ts';
import { policySuccess } from './success-policy.ts';
import type { Tally } from './tally.ts';

export type JobPlan =
	/** All pods go; then the condition is set. */
	| { readonly type: 'finish'; readonly success: boolean; readonly reason: string; readonly message: string }
	| { readonly type: 'suspend' }
	| {
			readonly type: 'scale';
			readonly create: readonly (number | undefined)[];
			readonly remove: readonly Pod[];
			readonly waitMs: number | undefined;
	  };

const DEFAULT_BACKOFF_LIMIT = 6;
/** Pods created in one go (upstream's MaxPodCreateDeletePerSync). */
const MAX_CHANGES = 500;

/** @param record what is remembered of failures; of those that are there unless told */
export function planJob(job: Job, pods: readonly Pod[], count: Tally, now: number, record = recordAfter(undefined, job, pods)): JobPlan {
	const spec = job.spec;
	const active = pods.filter(isActive);
	const failure = conditionOf(job, 'SuccessCriteriaMet') === undefined ? failureOf(job, pods, active, count, now) : undefined;
	if (failure !== undefined) return { type: 'finish', success: false, ...failure };
	const success = successOf(job, active, count);
	if (success !== undefined) return { type: 'finish', success: true, ...success };
	if (spec?.suspend === true) return { type: 'suspend' };
	const deadlineMs = msUntilDeadline(job, now);
	const scale = scaleOf(job, pods, active, { count, record }, now);
	const waits = [deadlineMs, scale.waitMs].filter((ms) => ms !== undefined);
	return { ...scale, waitMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

function failureOf(
	job: Job,
	pods: readonly Pod[],
	active: readonly Pod[],
	count: Tally,
	now: number,
): { readonly reason: string; readonly message: string } | undefined {
	const target = conditionOf(job, 'FailureTarget');
	if (target !== undefined) return target;
	const byPolicy = policyFailure(job, pods);
	if (byPolicy !== undefined) return byPolicy;
	const limit = job.spec?.backoffLimit ?? DEFAULT_BACKOFF_LIMIT;
	const onFailure = job.spec?.template.spec?.restartPolicy === 'OnFailure';
	const restarts = onFailure ? restartsOf(pods.filter(isAlive)) : 0;
	if (count.failed > limit || (restarts > 0 && (limit === 0 || restarts >= limit)))
		return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
	const deadline = msUntilDeadline(job, now);
	if (deadline !== undefined && deadline <= 0)
		return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
	if (count.failedIndexes.size > (job.spec?.maxFailedIndexes ?? Infinity))
		return { reason: 'MaxFailedIndexesExceeded', message: 'Job has exceeded the specified maximal number of failed indexes' };
	if (count.failedIndexes.size > 0 && count.failedIndexes.size + count.completed.size >= (job.spec?.completions ?? 0))
		return { reason: 'FailedIndexes', message: 'Job has failed indexes' };
	return undefined;
}

/** Also while it is being deleted. */
const isAlive = ({ status }: Pod): boolean => status?.phase === 'Running' || status?.phase === 'Pending';

type Why = { readonly reason: string; readonly message: string };

/** Why the Job has such a condition. */
function conditionOf(job: Job, type: string): Why | undefined {
	const found = (job.status?.conditions ?? []).find((c) => c.type === type && c.status === 'True');
	return found === undefined ? undefined : { reason: found.reason ?? '', message: found.message ?? '' };
}

function successOf(job: Job, active: readonly Pod[], count: Tally): Why | undefined {
	const why = conditionOf(job, 'SuccessCriteriaMet') ?? policySuccess(job, count.completed);
	if (why !== undefined || !isComplete(job, active, count)) return why;
	return { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

function msUntilDeadline(job: Job, now: number): number | undefined {
	const seconds = job.spec?.activeDeadlineSeconds;
	const start = job.status?.startTime;
	if (seconds === undefined || start === undefined || job.spec?.suspend === true) return undefined;
	return Date.parse(start) + seconds * 1000 - now;
}

function isComplete(job: Job, active: readonly Pod[], count: Tally): boolean {
	const completions = job.spec?.completions;
	if (completions === undefined) return count.succeeded > 0 && active.length === 0;
	return count.succeeded >= completions;
}

function scaleOf(
	job: Job,
	pods: readonly Pod[],
	active: readonly Pod[],
	{ count, record }: { readonly count: Tally; readonly record: BackoffRecord },
	now: number,
): JobPlan & { readonly type: 'scale' } {
	const parallelism = job.spec?.parallelism ?? 1;
	const completions = job.spec?.completions;
	const wanted =
		completions === undefined
			? count.succeeded > 0
				? active.length
				: parallelism
			: Math.min(parallelism, Math.max(0, completions - count.succeeded - count.failedIndexes.size));
	const extra = isIndexed(job) ? surplus(active, count, completions ?? 0) : [];
	const kept = active.filter((pod) => !extra.includes(pod));
	const remove = [...extra, ...kept.toSorted((a, b) => lessUseful(a, b)).slice(0, Math.max(0, kept.length - wanted))];
	// Those that take their place are made once they are seen to go.
	if (remove.length > 0) return { type: 'scale', create: [], remove: remove.slice(0, MAX_CHANGES), waitMs: undefined };
	const missing = Math.min(wanted - active.length, MAX_CHANGES);
	// Pods that are still ending hold their place when replacements wait for failure.
	const ending = replacesEndedOnly(job) ? pods.filter((p) => p.metadata.deletionTimestamp !== undefined && !isTerminal(p)).length : 0;
	const room = Math.max(0, missing - ending);
	if (room === 0) return { type: 'scale', create: [], remove, waitMs: undefined };
	if (limitsEachIndex(job)) return eachIndex(active, count, completions ?? 0, room, now);
	const waitMs = backoffMs(record, now);
	if (waitMs > 0) return { type: 'scale', create: [], remove, waitMs };
	return {
		type: 'scale',
		create: isIndexed(job) ? freeIndexes(active, count, completions ?? 0, room) : Array.from({ length: room }, () => undefined),
		remove,
		waitMs: undefined,
	};
}

/** Each index waits for itself. */
function eachIndex(
	active: readonly Pod[],
	count: Tally,
	completions: number,
	room: number,
	now: number,
): JobPlan & { readonly type: 'scale' } {
	const create: number[] = [];
	const waits: number[] = [];
	for (const index of freeIndexes(active, count, completions, completions)) {
		const failed = count.replaced.get(index);
		const waitMs = failed === undefined ? 0 : indexBackoffMs(failed, now, { firstMs: BACKOFF_MS, maxMs: MAX_BACKOFF_MS });
		if (waitMs > 0) waits.push(waitMs);
		else if (create.length < room) create.push(index);
	}
	return { type: 'scale', create, remove: [], waitMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

/** Of each index all but the most useful one, and those of indexes that are none or over. */
function surplus(active: readonly Pod[], count: Tally, completions: number): readonly Pod[] {
	const byIndex = Map.groupBy(active, (pod) => {
		const index = indexOf(pod);
		return index === undefined || index >= completions || isOver(index, count) ? undefined : index;
	});
	return [...byIndex].flatMap(([index, pods]) => {
		const sorted = pods.toSorted((a, b) => lessUseful(a, b));
		return index === undefined ? sorted : sorted.slice(0, -1);
	});
}

function freeIndexes(active: readonly Pod[], count: Tally, completions: number, room: number): readonly number[] {
	const taken = new Set(active.map(indexOf));
	const free: number[] = [];
	for (let i = 0; i < completions && free.length < room; i++) if (!taken.has(i) && !isOver(i, count)) free.push(i);
	return free;
}

/** Completed, or failed for good. */
function isOver(index: number, { completed, failedIndexes }: Tally): boolean {
	return completed.has(index) || failedIndexes.has(index);
}
