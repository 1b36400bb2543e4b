import test from 'ava';
import { Cases } from './report.ts';

const OUTPUT = `Recording: record_command_canary
Error when running record_command_canary
Recording: run_first_tests
\u001b[1mfine\u001b[0m
Recording: run_second_tests
\u001b[1m\u001b[31mFAIL!
+++ exit code: 1
Error when running run_second_tests
node/127.0.0.1 between cases
Recording: run_third_tests
`.split('\n');

test('cases end where the next begins, where they fail, and with the script', (t) => {
	const cases = new Cases(0);
	let now = 0;
	const add = (line: string): void => void cases.add(line, (now += 1000));
	for (const line of OUTPUT) add(line);
	t.deepEqual(cases.specs, [
		{ name: 'run_first_tests', result: 'passed', message: '', seconds: 2 },
		{ name: 'run_second_tests', result: 'failed', message: 'FAIL!\n+++ exit code: 1', seconds: 3 },
	]);
	t.false(cases.ended);
	add('FAILED TESTS: run_second_tests, ');
	t.true(cases.ended);
	t.deepEqual(cases.specs.at(-1), { name: 'run_third_tests', result: 'passed', message: '', seconds: 2 });
	t.is(cases.specs.length, 3);
});

test('a script that breaks down has not ended', (t) => {
	const cases = new Cases(0);
	for (const line of ['Recording: run_a_tests', 'drive.sh: line 3: no such file']) cases.add(line, 0);
	t.deepEqual([cases.ended, cases.specs], [false, []]);
});
