import test from 'ava';
import { cronProblem } from './cron.ts';

/** As upstream's reader said of them. */
for (const [schedule, problem] of [
	['* * * * *', undefined],
	[', * * * *', undefined],
	['1, * * * *', undefined],
	['*-5 * * * *', undefined],
	['1/2 * * * *', undefined],
	['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
	['*/0 * * * *', 'step of range should be a positive number: */0'],
	[
		'99999999999999999999 * * * *',
		'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
	],
	['1-0 * * * *', 'beginning of range (1) beyond end of range (0): 1-0'],
	['1-2-x * * * *', 'too many hyphens: 1-2-x'],
	['x-2-3 * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
	['1/2/3 * * * *', 'too many slashes: 1/2/3'],
	['* * * JAN MON', undefined],
	['TZ=../x * * * * *', 'provided bad location ../x: time: invalid location name'],
	['TZ=/x * * * * *', 'provided bad location /x: time: invalid location name'],
	['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
	['CRON_TZ=', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
	['TZ=x * * * * *', 'provided bad location x: unknown time zone x'],
] as const)
	test(`schedule ${schedule}`, (t) => t.is(cronProblem(schedule), problem));
