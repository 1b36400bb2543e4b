/** Cron schedules as robfig/cron reads them: what is wrong with one, in its words. */
import { messageOf } from '../../base/errors.ts';
import { isTimeZone } from './time-zones.ts';
import { parseDuration } from '../time.ts';

const FIELDS: readonly { readonly min: number; readonly max: number; readonly names?: readonly string[] }[] = [
	{ min: 0, max: 59 },
	{ min: 0, max: 23 },
	{ min: 1, max: 31 },
	{ min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
	{ min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

const EVERY = '@every ';

/** Undefined for a good schedule; a zone before it ("TZ=Asia/Tokyo 0 5 * * *") is part of what the reader knows. */
export function cronProblem(text: string): string | undefined {
	const [, zone, schedule = text] = /^(?:CRON_)?TZ=([^ ]*) (.*)$/s.exec(text) ?? [];
	if (zone !== undefined && zone !== '' && zone !== 'Local' && !isTimeZone(zone))
		return `provided bad location ${zone}: unknown time zone ${zone}`;
	return plainProblem(schedule.trim());
}

function plainProblem(schedule: string): string | undefined {
	if (schedule.startsWith('@')) {
		if (schedule.startsWith(EVERY)) return everyProblem(schedule);
		return DESCRIPTORS.has(schedule) ? undefined : `unrecognized descriptor: ${schedule}`;
	}
	const parts = schedule.split(/\s+/).filter((part) => part !== '');
	if (parts.length !== FIELDS.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
	for (const [i, part] of parts.entries()) {
		for (const range of part.split(',')) {
			const problem = rangeProblem(range, FIELDS[i] ?? { min: 0, max: 0 });
			if (problem !== undefined) return problem;
		}
	}
	return undefined;
}

function everyProblem(schedule: string): string | undefined {
	try {
		parseDuration(schedule.slice(EVERY.length));
		return undefined;
	} catch (error) {
		return `failed to parse duration ${schedule}: ${messageOf(error)}`;
	}
}

function rangeProblem(text: string, { min, max, names = [] }: (typeof FIELDS)[number]): string | undefined {
	const [span = '', step, extra] = text.split('/');
	if (extra !== undefined) return `too many slashes: ${text}`;
	let start = min;
	let end = max;
	if (span !== '*' && span !== '?') {
		const [from = '', to, more] = span.split('-');
		if (more !== undefined) return `too many hyphens: ${text}`;
		for (const value of to === undefined ? [from] : [from, to]) {
			const number = numberOf(value, names, min);
			if (number === undefined) return `failed to parse int from ${value}: strconv.Atoi: parsing ${JSON.stringify(value)}: invalid syntax`;
			if (number < 0) return `negative number (${number}) not allowed: ${value}`;
		}
		start = numberOf(from, names, min) ?? min;
		end = to === undefined ? (step === undefined ? start : max) : (numberOf(to, names, min) ?? max);
	}
	if (step !== undefined) {
		if (!/^-?\d+$/.test(step)) return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
		if (Number(step) === 0) return `step of range should be a positive number: ${text}`;
	}
	if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
	if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
	if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
	return undefined;
}

function numberOf(text: string, names: readonly string[], min: number): number | undefined {
	const at = names.indexOf(text.toLowerCase());
	if (at >= 0) return at + min;
	return /^-?\d+$/.test(text) ? Number(text) : undefined;
}
