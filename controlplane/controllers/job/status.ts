/** A Job's status after a look: counters, conditions, times. Pure. */
import type { Job, JobCondition, JobStatus, Pod } from '../../../api/gen/types.ts';
import { isReady } from '../../../api/pod/conditions.ts';
import { isActive, isTerminal } from '../../../api/pod/phase.ts';
import type { JobPlan } from './plan.ts';

import type { Tally } from './tally.ts';

export function isJobFinished(job: Job): boolean {
	return (job.status?.conditions ?? []).some((c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True');
}

/** @param created pods made in this look, which no informer shows yet; @param removed likewise those deleted */
export function statusOf(
	job: Job,
	pods: readonly Pod[],
	count: Tally,
	plan: JobPlan,
	change: { readonly created: number; readonly removed: number },
	now: string,
): JobStatus {
	const active = Math.max(0, pods.filter(isActive).length + change.created - change.removed);
	const terminating = pods.filter((p) => p.metadata.deletionTimestamp !== undefined && !isTerminal(p)).length + change.removed;
	const suspended = plan.type === 'suspend';
	const before = job.status ?? {};
	const wasSuspended = conditionTrue(before.conditions, 'Suspended');
	const { startTime: oldStart, completedIndexes: _, failedIndexes: __, ...rest } = before;
	const startTime = suspended ? undefined : wasSuspended ? now : (oldStart ?? now);
	const status: JobStatus = {
		...rest,
		...count.status,
		...(startTime === undefined ? {} : { startTime }),
		active,
		terminating,
		ready: pods.filter((p) => isActive(p) && isReady(p)).length,
		conditions: [...conditionsOf(before.conditions ?? [], plan, wasSuspended, now)],
	};
	const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = count.status.uncountedTerminatedPods ?? {};
	const settled =
		active === 0 && terminating === 0 && uncountedSucceeded.length === 0 && uncountedFailed.length === 0 && count.release.length === 0;
	if (plan.type !== 'finish' || !settled) return withoutZeroes(status);
	const done = condition(plan.success ? 'Complete' : 'Failed', plan.reason, plan.message, now);
	return withoutZeroes({ ...status, conditions: [...(status.conditions ?? []), done], ...(plan.success ? { completionTime: now } : {}) });
}

function conditionsOf(before: readonly JobCondition[], plan: JobPlan, wasSuspended: boolean, now: string): readonly JobCondition[] {
	switch (plan.type) {
		case 'finish': {
			const type = plan.success ? 'SuccessCriteriaMet' : 'FailureTarget';
			return conditionTrue(before, type) ? before : [...before, condition(type, plan.reason, plan.message, now)];
		}
		case 'suspend':
			return wasSuspended
				? before
				: [...before.filter((c) => c.type !== 'Suspended'), condition('Suspended', 'JobSuspended', 'Job suspended', now)];
		case 'scale': {
			if (!wasSuspended) return before;
			return [
				...before.filter((c) => c.type !== 'Suspended'),
				{ ...condition('Suspended', 'JobResumed', 'Job resumed', now), status: 'False' },
			];
		}
	}
}

function condition(type: string, reason: string, message: string, now: string): JobCondition {
	return { type, status: 'True', lastProbeTime: now, lastTransitionTime: now, reason, message };
}

function conditionTrue(conditions: readonly JobCondition[] | undefined, type: string): boolean {
	return (conditions ?? []).some((c) => c.type === type && c.status === 'True');
}

/** Counters that are zero are not written, except those upstream always writes. */
function withoutZeroes(status: JobStatus): JobStatus {
	const { active, succeeded, failed, conditions, ...rest } = status;
	return {
		...rest,
		...(active === 0 ? {} : { active }),
		...(succeeded === 0 ? {} : { succeeded }),
		...(failed === 0 ? {} : { failed }),
		...((conditions ?? []).length === 0 ? {} : { conditions }),
	};
}
