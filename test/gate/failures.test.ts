import test from 'ava';
import { Failures } from './failures.ts';

function lines(output: readonly string[]): readonly string[] {
	const failures = new Failures();
	for (const line of output) failures.add(line);
	return failures.lines();
}

test('a failed suite is told again: what failed, and the details after the closing rule', (t) => {
	t.deepEqual(lines(['  ✔ a › works', '  ✘ [fail]: a › breaks Error thrown', '    ℹ note', '  ─', '', '  a › breaks', '  Error: no']), [
		'  ✘ [fail]: a › breaks Error thrown',
		'',
		'  a › breaks',
		'  Error: no',
	]);
});

test('what a suite without tests says that failed is told again, too', (t) => {
	const failed = 'failed: could not build x; tests that drive it fail';
	t.deepEqual(lines(['installing y', failed, 'missing: z']), [failed]);
});

test('what is too long is cut with a count', (t) => {
	const told = lines(Array.from({ length: 200 }, (_, i) => `  ✘ ${i}`));
	t.is(told.length, 151);
	t.is(told.at(-1), '... and 50 more lines');
});
