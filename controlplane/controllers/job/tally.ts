/**
 * Counting finished pods exactly once. A finished pod is first written into status.uncountedTerminatedPods, then loses its finalizer,
 * and only then moves into the counters; whatever crashes in between, no pod is counted twice or lost. Pure.
 */
import type { Job, JobStatus, Pod } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { formatIndexes, parseIndexes } from './indexes.ts';
import { matchedRule } from './failure-policy.ts';
import { addFailedIndexes, limitsEachIndex, toReplace } from './index-failures.ts';
import { hasFailed, indexOf, isIndexed, isTracked } from './pods.ts';

export interface Tally {
	/** Counters and uncounted lists to be written. */
	readonly status: Pick<JobStatus, 'succeeded' | 'failed' | 'uncountedTerminatedPods' | 'completedIndexes' | 'failedIndexes'>;
	/** True when the above differs from what is stored. */
	readonly changed: boolean;
	/** Pods whose finalizer goes once the above is stored. */
	readonly release: readonly Pod[];
	/** With the uncounted ones, also those that still wait to be written down. */
	readonly succeeded: number;
	readonly failed: number;
	readonly completed: ReadonlySet<number>;
	/** With a limit for each index: those that are not tried again. */
	readonly failedIndexes: ReadonlySet<number>;
	/** With such a limit: the pod that the next one of an index replaces. */
	readonly replaced: ReadonlyMap<number, Pod>;
}

/** So many pods at most wait to be counted (upstream's MaxUncountedPods): what is written of them stays small, and no Job keeps others waiting. */
const MAX_UNCOUNTED = 500;

export function tally(job: Job, pods: readonly Pod[]): Tally {
	const before = job.status ?? {};
	const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
	const indexed = isIndexed(job);
	const completions = job.spec?.completions ?? 0;
	const completed = parseIndexes(before.completedIndexes ?? '', completions);
	let succeeded = before.succeeded ?? 0;
	let failed = before.failed ?? 0;
	const stillTracked = (uid: string): boolean => {
		const pod = byUid.get(uid);
		return pod !== undefined && isTracked(pod);
	};
	const uncounted = { succeeded: [] as string[], failed: [] as string[] };
	for (const uid of before.uncountedTerminatedPods?.succeeded ?? []) {
		if (stillTracked(uid)) uncounted.succeeded.push(uid);
		else if (!indexed) succeeded++;
	}
	for (const uid of before.uncountedTerminatedPods?.failed ?? []) {
		if (stillTracked(uid)) uncounted.failed.push(uid);
		else failed++;
	}
	const release: Pod[] = [];
	if (indexed) for (const pod of pods) addCompleted(pod, completed, completions);
	const { failedIndexes, replaced } = failuresOf(job, pods, completed, completions);
	const waiting = new Set(replaced.values());
	const known = new Set([...uncounted.succeeded, ...uncounted.failed]);
	let room = MAX_UNCOUNTED - known.size;
	/** Without room for them yet: no others are made in their place meanwhile. */
	const later = { succeeded: 0, failed: 0 };
	for (const pod of pods) {
		const uid = pod.metadata.uid ?? '';
		if (!isTracked(pod) || !(isTerminal(pod) || hasFailed(job, pod)) || waiting.has(pod)) continue;
		const counts = pod.status?.phase === 'Succeeded' ? 'succeeded' : countsAsFailed(job, pod) ? 'failed' : undefined;
		const isNew = counts !== undefined && !known.has(uid);
		if (isNew && room <= 0) {
			later[counts]++;
			continue;
		}
		release.push(pod);
		if (!isNew) continue;
		room--;
		// Of an indexed Job the index is what is written down.
		if (counts === 'failed' || !indexed) uncounted[counts].push(uid);
	}
	if (indexed) succeeded = completed.size;
	const text = formatIndexes(completed);
	const status = {
		succeeded,
		failed,
		uncountedTerminatedPods: {
			...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
			...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
		},
		...(indexed && text !== '' ? { completedIndexes: text } : {}),
		...(limitsEachIndex(job) ? { failedIndexes: formatIndexes(failedIndexes) } : {}),
	};
	const stored = {
		succeeded: before.succeeded ?? 0,
		failed: before.failed ?? 0,
		uncountedTerminatedPods: { ...before.uncountedTerminatedPods },
		...(before.completedIndexes === undefined ? {} : { completedIndexes: before.completedIndexes }),
		...(before.failedIndexes === undefined ? {} : { failedIndexes: before.failedIndexes }),
	};
	return {
		status,
		changed: JSON.stringify(status) !== JSON.stringify(stored),
		release,
		succeeded: indexed ? completed.size : succeeded + uncounted.succeeded.length + later.succeeded,
		failed: failed + uncounted.failed.length + later.failed,
		completed,
		failedIndexes,
		replaced,
	};
}

/** The policy may ignore it; of an indexed Job only pods with an index count. */
function countsAsFailed(job: Job, pod: Pod): boolean {
	const isCounted = !isIndexed(job) || (indexOf(pod) ?? Infinity) < (job.spec?.completions ?? 0);
	return isCounted && matchedRule(job, pod)?.action !== 'Ignore';
}

/** The same of a Job that ends: all of its pods are let go, and those that still ran have failed, unless it has succeeded. */
export function lettingGo(job: Job, pods: readonly Pod[], count: Tally, success: boolean): Tally {
	const going = new Set(count.release);
	const room = Math.max(0, MAX_UNCOUNTED - going.size);
	const running = pods.filter((pod) => isTracked(pod) && !going.has(pod)).slice(0, room);
	const release = [...count.release, ...running];
	const { failed: known = [], ...others } = count.status.uncountedTerminatedPods ?? {};
	const counted = running
		.filter((pod) => !success && countsAsFailed(job, pod))
		.map((pod) => pod.metadata.uid ?? '')
		.filter((uid) => !known.includes(uid));
	const failed = [...known, ...counted];
	const uncountedTerminatedPods = { ...others, ...(failed.length === 0 ? {} : { failed }) };
	return { ...count, release, changed: true, failed: count.failed + counted.length, status: { ...count.status, uncountedTerminatedPods } };
}

function addCompleted(pod: Pod, completed: Set<number>, completions: number): void {
	const index = indexOf(pod);
	if (isTracked(pod) && pod.status?.phase === 'Succeeded' && index !== undefined && index < completions) completed.add(index);
}

/** A Job that ends replaces nothing. */
function failuresOf(
	job: Job,
	pods: readonly Pod[],
	completed: ReadonlySet<number>,
	completions: number,
): Pick<Tally, 'failedIndexes' | 'replaced'> {
	if (!limitsEachIndex(job)) return { failedIndexes: new Set(), replaced: new Map() };
	const failedIndexes = addFailedIndexes(job, pods, parseIndexes(job.status?.failedIndexes ?? '', completions));
	const ends =
		failedIndexes.size > (job.spec?.maxFailedIndexes ?? completions) ||
		(job.status?.conditions ?? []).some((c) => (c.type === 'FailureTarget' || c.type === 'SuccessCriteriaMet') && c.status === 'True');
	if (ends) return { failedIndexes, replaced: new Map() };
	return { failedIndexes, replaced: toReplace(job, pods, (i) => i >= completions || completed.has(i) || failedIndexes.has(i)) };
}
