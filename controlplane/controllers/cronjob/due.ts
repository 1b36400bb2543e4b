/** Which run of a CronJob is due, and when to look again. Pure; upstream's cronjob/utils. */
import type { CronJob } from '../../../api/gen/types.ts';
import { nextTime, type Schedule } from './schedule.ts';

/** More missed runs than this are told of. */
const MANY = 100;
/** A moment after the time, so that the time itself is over. */
const LATER_MS = 100;

export interface Due {
	/** The newest run that was due; undefined when none was. */
	readonly at?: number;
	readonly tooManyMissed: boolean;
}

/** @param withDeadline leaves out what is later than startingDeadlineSeconds */
function mostRecent(
	cronJob: CronJob,
	schedule: Schedule,
	now: number,
	withDeadline: boolean,
): { readonly from: number; readonly at?: number; readonly missed: number } {
	let from = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '') || 0;
	const deadline = cronJob.spec?.startingDeadlineSeconds;
	if (withDeadline && deadline !== undefined) from = Math.max(from, now - deadline * 1000);
	const first = nextTime(schedule, from);
	if (first === undefined || now < first) return { from, missed: 0 };
	const second = nextTime(schedule, first);
	if (second === undefined || now < second) return { from, at: first, missed: 0 };
	const between = second - first;
	const missed = Math.floor((now - first) / between) + 1;
	// Back from now in growing steps: no walk over all that was missed.
	for (let back = between; ; back *= 2) {
		const start = now - back;
		let at = start <= first ? first : nextTime(schedule, start);
		if (at === undefined || at > now) continue;
		for (let next = nextTime(schedule, at); next !== undefined && next <= now; next = nextTime(schedule, at)) at = next;
		return { from, at, missed };
	}
}

export function dueRun(cronJob: CronJob, schedule: Schedule, now: number): Due {
	const { at, missed } = mostRecent(cronJob, schedule, now, true);
	return { ...(at === undefined ? {} : { at }), tooManyMissed: missed > MANY };
}

/** Until the next run; undefined where there is none. */
export function msUntilNext(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
	const { from, at } = mostRecent(cronJob, schedule, now, false);
	const next = nextTime(schedule, at ?? from);
	return next === undefined ? undefined : Math.max(0, next + LATER_MS - now);
}
