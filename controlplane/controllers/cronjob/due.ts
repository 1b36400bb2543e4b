/** Which run of a CronJob is due, and when to look again. Pure; upstream's cronjob/utils, its estimates included. */
import type { CronJob } from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
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

interface Recent {
	readonly from: number;
	readonly at?: number;
	/** About how many runs were due; 0 where it is but one. */
	readonly missed: number;
}

/** AppError InvalidArgument where the schedule never comes. @param withDeadline leaves out what is later than startingDeadlineSeconds */
function mostRecent(cronJob: CronJob, schedule: Schedule, now: number, withDeadline: boolean): Recent {
	let from = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '') || 0;
	const deadline = cronJob.spec?.startingDeadlineSeconds;
	if (withDeadline && deadline !== undefined) from = Math.max(from, now - deadline * 1000);
	const first = nextTime(schedule, from);
	const second = first === undefined ? undefined : nextTime(schedule, first);
	if (first !== undefined && now < first) return { from, missed: 0 };
	if (first !== undefined && second !== undefined && now < second) return { from, at: first, missed: 0 };
	const between = second === undefined || first === undefined ? 0 : Math.round((second - first) / 1000) * 1000;
	if (first === undefined || between < 1000)
		throw new AppError('InvalidArgument', 'time difference between two schedules is less than 1 second');
	const missed = Math.floor((now - first) / between) + 1;
	// Whole spans from the first, so that @every keeps its beat; one less, since they need not be alike.
	let at: number | undefined;
	for (let next = nextTime(schedule, first + (missed - 2) * between); next !== undefined && next <= now; next = nextTime(schedule, next))
		at = next;
	return { from, missed, ...(at === undefined ? {} : { at }) };
}

/** AppError InvalidArgument where the schedule never comes. */
export function dueRun(cronJob: CronJob, schedule: Schedule, now: number): Due {
	const { at, missed } = mostRecent(cronJob, schedule, now, true);
	return { ...(at === undefined ? {} : { at }), tooManyMissed: at !== undefined && missed > MANY };
}

/** Until the next run; undefined where there is none. */
export function msUntilNext(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
	const next = nextTime(schedule, lookedAfter(cronJob, schedule, now));
	return next === undefined ? undefined : Math.max(0, next + LATER_MS - now);
}

/** From where the next run is looked for. */
function lookedAfter(cronJob: CronJob, schedule: Schedule, now: number): number {
	try {
		const { from, at, missed } = mostRecent(cronJob, schedule, now, false);
		return at ?? (missed === 0 ? from : now);
	} catch {
		return now;
	}
}
