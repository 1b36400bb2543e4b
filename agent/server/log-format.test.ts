/** Lines of container logs, as runtimes write them. */
import test from 'ava';
import { parseLogLine } from './log-format.ts';

const TIME = '2016-10-20T18:39:20.576064430Z';
for (const [name, line, want] of [
	['a whole line', `${TIME} stdout F a b`, [TIME, 'stdout', false, 'a b']],
	['a part of one', `${TIME} stderr P a`, [TIME, 'stderr', true, 'a']],
	['an empty line', `${TIME} stdout F`, [TIME, 'stdout', false, '']],
	["Docker's", String.raw`{"log":"a \"b\"\n","stream":"stdout","time":"2016-10-20T18:39:20.57606443Z"}`, [TIME, 'stdout', false, 'a "b"']],
	["a part of Docker's", '{"log":"{a","stream":"stderr","time":"2016-10-20T18:39:20.57606443Z"}', [TIME, 'stderr', true, '{a']],
	[
		'a whole second of another zone',
		String.raw`{"log":"\n","stream":"stdout","time":"2016-10-20T18:39:20+02:00"}`,
		['2016-10-20T18:39:20.000000000+02:00', 'stdout', false, ''],
	],
	['JSON of something else', '{"a":1}', undefined],
	['half of one', '{"log":"a', undefined],
	['something else', 'nothing', undefined],
] as const)
	test(`parseLogLine(): ${name}`, (t) => {
		const got = parseLogLine(Buffer.from(line));
		t.deepEqual(got && [got.time, got.stream, got.partial, Buffer.from(got.text).toString()], want as never);
	});
