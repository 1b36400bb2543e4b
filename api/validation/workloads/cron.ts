/** Cron schedules as robfig/cron reads them: what is wrong with one, in its words. */
import { messageOf } from '../../../base/errors.ts';
import { zoneFault } from './time-zones.ts';
import { parseDuration } from '../../time.ts';

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
	// The reader looks for the blank after the zone without asking whether there is one.
	if (/^(?:CRON_)?TZ=[^ ]*$/.test(text)) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
	const [, zone, schedule = text] = /^(?:CRON_)?TZ=([^ ]*) (.*)$/s.exec(text) ?? [];
	const fault = zoneFault(zone ?? '');
	if (fault !== undefined) return `provided bad location ${zone}: ${fault}`;
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
		for (const range of part.split(',').filter((one) => one !== '')) {
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

/** In the reader's order: the range's first number, its second, the step, and only then their sizes. */
function rangeProblem(text: string, { min, max, names = [] }: (typeof FIELDS)[number]): string | undefined {
	const [span = '', step, ...slashes] = text.split('/');
	const [from = '', to, ...hyphens] = span.split('-');
	const isAll = from === '*' || from === '?';
	const problem = isAll
		? undefined
		: (numberProblem(from, names) ??
			(hyphens.length > 0 ? `too many hyphens: ${text}` : to === undefined ? undefined : numberProblem(to, names)));
	if (problem !== undefined) return problem;
	if (slashes.length > 0) return `too many slashes: ${text}`;
	const wrongStep = step === undefined ? undefined : numberProblem(step, []);
	if (wrongStep !== undefined) return wrongStep;
	const start = isAll ? min : numberOf(from, names, min);
	const last = to === undefined ? (step === undefined ? start : max) : numberOf(to, names, min);
	const end = isAll ? max : last;
	if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
	if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
	if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
	return step !== undefined && Number(step) === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

const MAX_INT = 2n ** 63n;

function numberProblem(text: string, names: readonly string[]): string | undefined {
	if (names.includes(text.toLowerCase())) return undefined;
	const fault = (why: string): string => `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`;
	if (!/^[+-]?\d+$/.test(text)) return fault('invalid syntax');
	const number = BigInt(text.replace(/^\+/, ''));
	if (number >= MAX_INT || number < -MAX_INT) return fault('value out of range');
	return number < 0n ? `negative number (${number}) not allowed: ${text}` : undefined;
}

function numberOf(text: string, names: readonly string[], min: number): number {
	const at = names.indexOf(text.toLowerCase());
	return at >= 0 ? at + min : Number(text);
}
