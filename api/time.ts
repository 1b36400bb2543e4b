/** Times and durations as the API writes them: RFC 3339 in UTC with whole seconds, MicroTime with six decimals, Go's duration text. */
import { AppError } from '../base/errors.ts';
import { readTime } from './time-parse.ts';

/** Already canonical, for sure: days beyond 28 take the long way. */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** "2026-01-01T00:00:00Z" */
export function canonicalTime(text: string): string {
	if (CANONICAL.test(text)) return text;
	return timeOf(readTime(text).ms);
}

/** "2026-01-01T00:00:00.000000Z" */
export function canonicalMicroTime(text: string): string {
	const { ms, fraction } = readTime(text, true);
	return `${new Date(ms).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** The second written last: one object gets its time several times, and many objects come in one second. */
let lastSecond = Number.NaN;
let lastText = '';

/** A wall time in ms as the API writes it. */
export function timeOf(ms: number): string {
	const second = Math.floor(ms / 1000);
	if (second !== lastSecond) {
		lastText = `${new Date(ms).toISOString().slice(0, 19)}Z`;
		lastSecond = second;
	}
	return lastText;
}

/** A wall time in ms as a MicroTime. */
export function microTimeOf(ms: number): string {
	return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

const UNIT_NS: Readonly<Record<string, bigint>> = {
	ns: 1n,
	us: 1000n,
	µs: 1000n,
	μs: 1000n,
	ms: 1_000_000n,
	s: 1_000_000_000n,
	m: 60_000_000_000n,
	h: 3_600_000_000_000n,
};

/** As Go words it: a number that is none, or that no known unit follows. */
function durationFault(text: string): string {
	let rest = text;
	while (rest !== '') {
		const [number = '', whole, fraction] = /^(\d*)(\.\d*)?/.exec(rest) ?? [];
		if (whole === '' && (fraction ?? '.') === '.') return 'invalid';
		rest = rest.slice(number.length);
		const unit = /^[^.\d]*/.exec(rest)?.[0] ?? '';
		if (unit === '') return 'missing unit in';
		if (UNIT_NS[unit] === undefined) return `unknown unit ${JSON.stringify(unit)} in`;
		rest = rest.slice(unit.length);
	}
	return 'invalid';
}

/** Nanoseconds of Go's duration text ("1h30m", "1.5s", "-2ms"); AppError InvalidArgument. */
export function parseDuration(text: string): bigint {
	const sign = text.startsWith('-') ? -1n : 1n;
	const body = text.replace(/^[+-]/, '');
	if (body === '0') return 0n;
	if (!/^(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/.test(body))
		throw new AppError('InvalidArgument', `time: ${durationFault(body)} duration ${JSON.stringify(text)}`);
	let total = 0n;
	for (const [, whole = '0', fraction = '', unit = 's'] of body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
		const ns = UNIT_NS[unit] ?? 0n;
		total += BigInt(whole === '' ? '0' : whole) * ns + (fraction === '' ? 0n : (BigInt(fraction) * ns) / 10n ** BigInt(fraction.length));
	}
	return sign * total;
}

/** Go's text of a duration in nanoseconds. */
export function formatDuration(ns: bigint): string {
	if (ns === 0n) return '0s';
	const sign = ns < 0n ? '-' : '';
	const size = ns < 0n ? -ns : ns;
	const decimal = (value: bigint, unit: bigint): string => {
		const fraction = (value % unit)
			.toString()
			.padStart(unit.toString().length - 1, '0')
			.replace(/0+$/, '');
		return `${value / unit}${fraction === '' ? '' : `.${fraction}`}`;
	};
	if (size < 1000n) return `${sign}${size}ns`;
	if (size < 1_000_000n) return `${sign}${decimal(size, 1000n)}µs`;
	if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`;
	const hours = size / 3_600_000_000_000n;
	const minutes = (size / 60_000_000_000n) % 60n;
	const seconds = decimal(size % 60_000_000_000n, 1_000_000_000n);
	return `${sign}${hours > 0n ? `${hours}h` : ''}${hours > 0n || minutes > 0n ? `${minutes}m` : ''}${seconds}s`;
}

export function canonicalDuration(text: string): string {
	return formatDuration(parseDuration(text));
}
