/** The conformance suite covers what its README says: each of upstream's tests has one here under its name, or is named as waiting. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { coverage, WAITING } from '../conformance/names.ts';

test('each of upstream’s tests of the three areas has one of ours, or waits', (t) => {
	const { total, tested, missing, wrong } = coverage();
	t.deepEqual([missing, wrong], [[], []]);
	t.is(tested + Object.keys(WAITING).length, total);
});

test('the README says how many, and that so many wait', (t) => {
	const { total, tested } = coverage();
	const readme = readFileSync(join(import.meta.dirname, '..', 'conformance', 'README.md'), 'utf8');
	t.true(readme.includes(`**${tested} of the ${total}**`));
	t.is([...readme.matchAll(/^\| `\[sig-/gm)].length, Object.keys(WAITING).length);
});
