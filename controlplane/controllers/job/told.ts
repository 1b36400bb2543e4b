/** What is said of a Job whose status was written: events, and the counts of its end. */
import type { Job } from '../../../api/gen/types.ts';
import { JOBS } from '../../../api/resources.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { JobMetrics } from './metrics.ts';
import type { JobPlan } from './plan.ts';

interface Deps {
	readonly recorder: EventRecorder;
	readonly metrics: JobMetrics;
}

/** @param job as it was before */
export function tellStatus(job: Job, plan: JobPlan, status: NonNullable<Job['status']>, { recorder, metrics }: Deps): void {
	const about = referenceTo(JOBS, job);
	const isNow = (type: string): boolean => (status.conditions ?? []).some((c) => c.type === type && c.status === 'True');
	const was = (type: string): boolean => (job.status?.conditions ?? []).some((c) => c.type === type && c.status === 'True');
	metrics.counted(job, status);
	if (isNow('Complete')) {
		if ((status.succeeded ?? 0) > (job.spec?.completions ?? Infinity))
			recorder.event(about, 'Warning', 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached');
		recorder.event(about, 'Normal', 'Completed', 'Job completed');
	}
	if (isNow('Failed') && plan.type === 'finish') recorder.event(about, 'Warning', plan.reason, plan.message);
	if ((isNow('Complete') || isNow('Failed')) && plan.type === 'finish') metrics.finished(job, plan.success, plan.reason);
	if (isNow('Suspended') && !was('Suspended')) recorder.event(about, 'Normal', 'Suspended', 'Job suspended');
	if (!isNow('Suspended') && was('Suspended')) recorder.event(about, 'Normal', 'Resumed', 'Job resumed');
}
