import test from 'ava';
import type { Spec } from '../critest/report.ts';
import { asked, below, failures, scoreByArea } from './report.ts';

const spec = (name: string, result: Spec['result'], message = ''): Spec => ({ name, result, message, seconds: 1 });
const SPECS = [
	spec('[sig-node] Pods run', 'passed'),
	spec('[sig-apps] Job ends', 'failed', 'it did not'),
	spec('[sig-apps] DaemonSet rolls', 'skipped', 'needs two nodes'),
	spec('[sig-apps] Deployment scales', 'passed'),
	spec('[sig-cli] kubectl proxies', 'skipped'),
];

test('a test that was not asked for is none that was skipped', (t) => {
	t.deepEqual(
		asked(SPECS).map((s) => s.name),
		['[sig-node] Pods run', '[sig-apps] Job ends', '[sig-apps] DaemonSet rolls', '[sig-apps] Deployment scales'],
	);
});

test('each area has its score', (t) => {
	t.deepEqual(scoreByArea(asked(SPECS)), [
		{ area: 'sig-apps', passed: 1, failed: 1, skipped: 1 },
		{ area: 'sig-node', passed: 1, failed: 0, skipped: 0 },
	]);
});

test('fewer passes than are recorded are told, as many or more are not', (t) => {
	const scores = scoreByArea(asked(SPECS));
	t.deepEqual(below(scores, { 'sig-apps': 2, 'sig-node': 1 }), ['sig-apps: 1 tests passed where 2 had']);
	t.deepEqual(below(scores, { 'sig-node': 0 }), []);
	t.deepEqual(below(scores, { 'sig-auth': 3 }), ['sig-auth: 0 tests passed where 3 had'], 'an area of which nothing ran');
});

test('of tests that were asked for by name each one counts, and there must be some', (t) => {
	t.deepEqual(failures(SPECS), ['[sig-apps] Job ends']);
	t.deepEqual(failures(SPECS.slice(2)), []);
	t.deepEqual(failures([]), ['no test has such a name']);
});
