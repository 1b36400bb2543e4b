/** Cron schedules: when next. Pure; the meaning of robfig/cron, days by either of day of month and day of week where both are given. */
import { AppError } from '../../../base/errors.ts';
import { parseDuration } from '../../../api/time.ts';
import { cronProblem } from '../../../api/validation/workloads/cron.ts';
import { offsetMs } from './time-zone.ts';

export type Schedule =
	| { readonly type: 'every'; readonly ms: number }
	| { readonly type: 'fields'; readonly zone: string; readonly fields: readonly Field[] };

interface Field {
	readonly values: ReadonlySet<number>;
	readonly isStar: boolean;
}

const RANGES: readonly (readonly [number, number, readonly string[]])[] = [
	[0, 59, []],
	[0, 23, []],
	[1, 31, []],
	[1, 12, ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']],
	[0, 6, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']],
];

const DESCRIPTORS: Readonly<Record<string, string>> = {
	'@yearly': '0 0 1 1 *',
	'@annually': '0 0 1 1 *',
	'@monthly': '0 0 1 * *',
	'@weekly': '0 0 * * 0',
	'@daily': '0 0 * * *',
	'@midnight': '0 0 * * *',
	'@hourly': '0 * * * *',
};

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** What has not come by then never comes (the 30th of February). */
const HORIZON_MS = 5 * 366 * DAY_MS;

/** A "TZ=" or "CRON_TZ=" before the fields wins over `zone`. AppError InvalidArgument. */
export function parseSchedule(text: string, zone = 'UTC'): Schedule {
	const [, named, rest] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text.trim()) ?? [undefined, undefined, text.trim()];
	const spec = rest ?? '';
	const problem = cronProblem(spec);
	if (problem !== undefined) throw new AppError('InvalidArgument', problem);
	const every = /^@every (.*)$/.exec(spec)?.[1];
	if (every !== undefined) return { type: 'every', ms: Math.max(1000, Math.floor(Number(parseDuration(every) / 1_000_000_000n)) * 1000) };
	const fields = (DESCRIPTORS[spec] ?? spec).split(/\s+/).map((field, i) => parseField(field, RANGES[i] ?? [0, 0, []]));
	return { type: 'fields', zone: named ?? zone, fields };
}

function parseField(text: string, [min, max, names]: (typeof RANGES)[number]): Field {
	const number = (word: string): number => (names.includes(word.toLowerCase()) ? names.indexOf(word.toLowerCase()) + min : Number(word));
	const values = new Set<number>();
	let isStar = false;
	for (const range of text.split(',').filter((one) => one !== '')) {
		const [span = '', step = '1'] = range.split('/');
		const [from = '', to] = span.split('-');
		const any = from === '*' || from === '?';
		const start = any ? min : number(from);
		const end = any ? max : to !== undefined ? number(to) : range.includes('/') ? max : start;
		if (any && Number(step) === 1) isStar = true;
		for (let value = start; value <= end; value += Number(step)) values.add(value);
	}
	return { values, isStar };
}

/** The first time after `after` (both ms since the epoch); undefined where there is none within five years. */
export function nextTime(schedule: Schedule, after: number): number | undefined {
	if (schedule.type === 'every') return Math.floor(after / 1000) * 1000 + schedule.ms;
	const { zone, fields } = schedule;
	const [minutes, hours, days, months, weekdays] = fields;
	if (minutes === undefined || hours === undefined || days === undefined || months === undefined || weekdays === undefined)
		return undefined;
	let at = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
	while (at - after < HORIZON_MS) {
		const offset = offsetMs(zone, at);
		const local = new Date(at + offset);
		const inMonth = months.values.has(local.getUTCMonth() + 1);
		const [onDay, onWeekday] = [days.values.has(local.getUTCDate()), weekdays.values.has(local.getUTCDay())];
		if (!inMonth) at = atLocal(zone, Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1), at, offset);
		else if (!(days.isStar || weekdays.isStar ? onDay && onWeekday : onDay || onWeekday))
			at = atLocal(zone, Math.floor((at + offset) / DAY_MS) * DAY_MS + DAY_MS, at, offset);
		else if (!hours.values.has(local.getUTCHours())) at = Math.floor((at + offset) / HOUR_MS) * HOUR_MS + HOUR_MS - offset;
		else if (!minutes.values.has(local.getUTCMinutes())) at += MINUTE_MS;
		else return at;
	}
	return undefined;
}

/** When the clocks of the zone show `local`; always later than `from`. */
function atLocal(zone: string, local: number, from: number, offset: number): number {
	const guess = local - offset;
	return Math.max(from + MINUTE_MS, local - offsetMs(zone, guess));
}
