import test from 'ava';
import { dateOf, durationOf, timeOf } from './schema-formats.ts';
import { formatTimestamp } from './time-text.ts';

const HOUR = 3_600_000_000_000n;

for (const [text, want] of [
	['1h30m', (3n * HOUR) / 2n],
	['1d', 24n * HOUR],
	['2 weeks', 336n * HOUR],
	['1H', HOUR],
	['3 hours, then 2 min', 3n * HOUR + HOUR / 30n],
	['99999999h', BigInt.asIntN(64, 99_999_999n * HOUR)],
] as const)
	test(`durationOf(): ${text}`, (t) => t.is(durationOf(text).nanos, want));

for (const text of ['', '5', 'a day', '99999999999999999999h'])
	test(`durationOf() refuses "${text}"`, (t) => {
		t.throws(() => durationOf(text), { message: `Invalid duration ${text}: unable to parse ${text} as duration` });
	});

for (const [text, want] of [
	['2019-01-02T03:04:05', '2019-01-02T03:04:05Z'],
	['2019-01-02T03:04:05Z', '2019-01-02T03:04:05Z'],
	['2019-01-02T03:04:05,5+02:00', '2019-01-02T03:04:05.5+02:00'],
	['', '1970-01-01T00:00:00Z'],
] as const)
	test(`timeOf(): "${text}"`, (t) => t.is(formatTimestamp(timeOf(text)), want));

test('dateOf(): a day alone', (t) => t.is(formatTimestamp(dateOf('2019-01-02')), '2019-01-02T00:00:00Z'));

for (const [text, want] of [
	['', ' as "2006-01-02": cannot parse "" as "2006"'],
	['2019-1-02', ' as "2006-01-02": cannot parse "1-02" as "01"'],
	['2019-01-02T03:04:05Z', ': extra text: "T03:04:05Z"'],
	['2019-02-30', ': day out of range'],
] as const)
	test(`dateOf() refuses "${text}"`, (t) => {
		t.throws(() => dateOf(text), { message: `Invalid date formatted string ${text}: parsing time "${text}"${want}` });
	});

for (const [text, want] of [
	['2019-01-02', 'as "2006-01-02T15:04:05": cannot parse "" as "T"'],
	['2019-01-01t00:00:00z', 'as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T"'],
	['2019-01-01T00:00:00z', ': extra text: "z"'],
	['2019-01-01T00:00:00x5Z', ': extra text: "x5Z"'],
	['2019-01-01T00:00:00+25:00', ': extra text: "+25:00"'],
] as const)
	test(`timeOf() refuses "${text}"`, (t) => {
		const message = `Invalid date-time formatted string ${text}: parsing time "${text}"${want.startsWith(':') ? '' : ' '}${want}`;
		t.throws(() => timeOf(text), { message });
	});
