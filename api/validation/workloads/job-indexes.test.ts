/** Lists of indexes in the status of a Job. */
import test from 'ava';
import { indexesComplaint, overlapping } from './job-indexes.ts';

for (const [text, completions, want] of [
	['', 3, undefined],
	['0,2-4', 5, undefined],
	['5', 5, 'too large index: "5"'],
	['9223372036854775807', 5, 'too large index: "9223372036854775807"'],
	['1-9223372036854775808', 5, 'cannot convert string to integer for index: "9223372036854775808"'],
	['2,1', 5, 'non-increasing order, previous: 2, current: 1'],
	['3-1', 5, 'non-increasing order, previous: 3, current: 1'],
	['a', 5, 'cannot convert string to integer for index: "a"'],
] as const)
	test(`indexesComplaint(): "${text}" of ${completions}`, (t) => t.is(indexesComplaint(text, completions), want));

test('overlapping(): the first index of both', (t) =>
	t.deepEqual([overlapping('0,2-4', '3', 9), overlapping('0', '1-2', 9)], [3, undefined]));
