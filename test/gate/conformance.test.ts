/** The conformance suites cover what their READMEs say: each of upstream's tests has one here under its name, or is named as waiting. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { API, coverage, NODE } from '../conformance/names.ts';

const CASES = { API: { suite: API, readme: 'README.md' }, NODE: { suite: NODE, readme: 'node/README.md' } };

for (const [area, { suite, readme }] of Object.entries(CASES)) {
	const waiting = Object.keys(suite.waiting).length;
	test(`${area}: each of upstream’s tests has one of ours, or waits`, (t) => {
		const { total, tested, missing, wrong } = coverage(suite);
		t.deepEqual([missing, wrong], [[], []]);
		t.is(tested + waiting, total);
	});

	test(`${area}: the README says how many, and that so many wait`, (t) => {
		const { total, tested } = coverage(suite);
		const text = readFileSync(join(import.meta.dirname, '..', 'conformance', readme), 'utf8');
		t.true(text.includes(`**${tested} of the ${total}**`));
		t.is([...text.matchAll(/^\| `\[sig-/gm)].length, waiting);
	});
}
