/** Parts of timestamps and durations. */
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import type { Duration, Timestamp, Value } from '../values.ts';

const MS = 1_000_000n;

interface Parts {
	readonly date: Date;
	readonly nanos: bigint;
}

/** The point in time shifted so that the UTC parts of the date are those of the zone. */
function inZone(timestamp: Timestamp, zone: string): Parts {
	const nanos = ((timestamp.nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
	const ms = Number((timestamp.nanos - (((timestamp.nanos % MS) + MS) % MS)) / MS);
	return { date: new Date(ms + offsetMs(ms, zone)), nanos };
}

function offsetMs(at: number, zone: string): number {
	if (zone === 'UTC' || zone === '' || zone === 'Z' || zone === 'Local') return 0;
	const [fixed, sign = '', hours = '', minutes = ''] = /^([+-]?)(\d\d?):(\d\d)$/.exec(zone) ?? [];
	if (fixed !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
	try {
		const format = new Intl.DateTimeFormat('en-US', {
			timeZone: zone,
			hourCycle: 'h23',
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
			hour: 'numeric',
			minute: 'numeric',
			second: 'numeric',
		});
		const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
		const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
		return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
	} catch {
		throw new EvalError(`unknown time zone ${zone}`);
	}
}

const dayOfYear = ({ date }: Parts): number =>
	Math.floor((Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);

const OF_TIMESTAMP: Readonly<Record<string, (parts: Parts) => number>> = {
	getFullYear: ({ date }) => date.getUTCFullYear(),
	getMonth: ({ date }) => date.getUTCMonth(),
	getDayOfYear: dayOfYear,
	getDayOfMonth: ({ date }) => date.getUTCDate() - 1,
	getDate: ({ date }) => date.getUTCDate(),
	getDayOfWeek: ({ date }) => date.getUTCDay(),
	getHours: ({ date }) => date.getUTCHours(),
	getMinutes: ({ date }) => date.getUTCMinutes(),
	getSeconds: ({ date }) => date.getUTCSeconds(),
	getMilliseconds: ({ nanos }) => Number(nanos / MS),
};

const OF_DURATION: Readonly<Record<string, (nanos: bigint) => bigint>> = {
	getHours: (nanos) => nanos / 3_600_000_000_000n,
	getMinutes: (nanos) => nanos / 60_000_000_000n,
	getSeconds: (nanos) => nanos / 1_000_000_000n,
	// All of them, as cel-go has it; the specification counts those of the last second.
	getMilliseconds: (nanos) => nanos / MS,
};

export const times: readonly Overload[] = [
	...Object.entries(OF_TIMESTAMP).flatMap(([name, read]) => [
		overload(`timestamp_${name}`, `timestamp::${name}(): int`, (t) => BigInt(read(inZone(t as Timestamp, 'UTC')))),
		overload(`timestamp_${name}_tz`, `timestamp::${name}(string): int`, (t?: Value, zone?: Value) =>
			BigInt(read(inZone(t as Timestamp, zone as string))),
		),
	]),
	...Object.entries(OF_DURATION).map(([name, read]) =>
		overload(`duration_${name}`, `duration::${name}(): int`, (d) => read((d as Duration).nanos)),
	),
];
