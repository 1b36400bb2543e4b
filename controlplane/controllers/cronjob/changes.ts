/** Which CronJobs to look at, and when. */
import type { CronJob } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import type { KeySource } from '../../../client/controller.ts';
import type { Informer } from '../../../client/informer.ts';
import { msUntilNext } from './due.ts';
import { parseSchedule } from './schedule.ts';
import { hostZone, isTimeZone } from './time-zone.ts';

/** With a new schedule a CronJob is looked at when it is next due, not for what that schedule would have had before. */
export function changesOf(cronJobs: Informer<CronJob>, clock: Clock, zone: string | undefined): KeySource {
	return {
		synced: (signal) => cronJobs.synced(signal),
		subscribe: (enqueue) =>
			cronJobs.subscribe(({ before, after }) => {
				const object = after ?? before;
				if (object === undefined) return;
				const isRescheduled = before !== undefined && after !== undefined && timing(before) !== timing(after);
				enqueue(keyOf(object), isRescheduled ? msUntilDue(after, zone, clock.now()) : undefined);
			}),
	};
}

function timing({ spec }: CronJob): string {
	return JSON.stringify([spec?.schedule, spec?.timeZone]);
}

/** Undefined, at once, where the schedule says nothing: the look tells why. */
function msUntilDue(cronJob: CronJob, zone: string | undefined, now: number): number | undefined {
	const { schedule = '', timeZone } = cronJob.spec ?? {};
	if (timeZone !== undefined && !isTimeZone(timeZone)) return undefined;
	try {
		return msUntilNext(cronJob, parseSchedule(schedule, timeZone ?? zone ?? hostZone()), now);
	} catch {
		return undefined;
	}
}
