/** Durations and timestamps in their text forms, as Go reads and CEL prints them. */
import { EvalError } from '../errors.ts';
import { Duration, Timestamp } from '../values.ts';

const UNITS: Readonly<Record<string, bigint>> = {
	ns: 1n,
	us: 1_000n,
	µs: 1_000n,
	μs: 1_000n,
	ms: 1_000_000n,
	s: 1_000_000_000n,
	m: 60_000_000_000n,
	h: 3_600_000_000_000n,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
const SECOND = 1_000_000_000n;
/** Go's time.Duration is an int64. */
const MAX_DURATION = 2n ** 63n - 1n;
/** Years 1 to 9999. */
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND;

/** Undefined: no duration. */
export function parseDuration(text: string): bigint | undefined {
	const negative = text.startsWith('-');
	const body = text.replace(/^[+-]/, '');
	if (body === '0') return 0n;
	let total = 0n;
	PART.lastIndex = 0;
	while (PART.lastIndex < body.length) {
		const [, number = '', unit = ''] = PART.exec(body) ?? [];
		if (unit === '') return undefined;
		const [whole = '', fraction = ''] = number.split('.');
		const scale = UNITS[unit] as bigint;
		total += BigInt(whole === '' ? 0 : whole) * scale;
		if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
	}
	if (body === '' || total > MAX_DURATION) return undefined;
	return negative ? -total : total;
}

export function checkedDuration(nanos: bigint): Duration {
	if (nanos > MAX_DURATION || nanos < -MAX_DURATION - 1n) throw new EvalError('integer overflow');
	return new Duration(nanos);
}

export function checkedTimestamp(nanos: bigint, offsetMinutes = 0): Timestamp {
	if (nanos < FIRST || nanos >= LAST) throw new EvalError('timestamp overflow');
	return new Timestamp(nanos, offsetMinutes);
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Nanoseconds since 1970; undefined: no RFC 3339 time. */
export function parseTimestamp(text: string): bigint | undefined {
	return timestampOf(text)?.nanos;
}

/** Undefined: no RFC 3339 time. */
export function timestampOf(text: string): Timestamp | undefined {
	const [whole, year, month, day, hour, minute, second, fraction = '', zone = ''] = RFC3339.exec(text) ?? [];
	if (whole === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
	const ms = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
	const date = new Date(ms);
	if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
	const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
	if (Number(hours) > 24 || Number(minutes) > 60) return undefined;
	const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
	const seconds = BigInt(ms) / 1000n + BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset * 60);
	return new Timestamp(seconds * SECOND + BigInt(fraction.padEnd(9, '0').slice(0, 9)), offset);
}

/** "1970-01-01T00:00:00Z", with as many digits of a second as it needs, at the offset that it has. */
export function formatTimestamp({ nanos, offsetMinutes }: Timestamp): string {
	const rest = ((nanos % SECOND) + SECOND) % SECOND;
	const seconds = (nanos - rest) / SECOND;
	const base = new Date(Number(seconds) * 1000 + offsetMinutes * 60_000).toISOString().slice(0, 19);
	const fraction = rest === 0n ? '' : `.${rest.toString().padStart(9, '0').replace(/0+$/, '')}`;
	const two = (value: number): string => String(Math.abs(value)).padStart(2, '0');
	const zone =
		offsetMinutes === 0 ? 'Z' : `${offsetMinutes < 0 ? '-' : '+'}${two(Math.trunc(offsetMinutes / 60))}:${two(offsetMinutes % 60)}`;
	return `${base}${fraction}${zone}`;
}

/** Seconds with "s", as CEL's string(duration) prints it. */
export function formatDuration(nanos: bigint): string {
	const sign = nanos < 0n ? '-' : '';
	const positive = nanos < 0n ? -nanos : nanos;
	const rest = positive % SECOND;
	const fraction = rest === 0n ? '' : `.${rest.toString().padStart(9, '0').replace(/0+$/, '')}`;
	return `${sign}${positive / SECOND}${fraction}s`;
}
