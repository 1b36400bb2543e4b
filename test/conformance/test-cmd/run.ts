/**
 * Upstream's own scripts for kubectl (`make test-cmd`: test/cmd of Kubernetes 1.36.2, some 90 cases) against our API server and controller manager:
 * `node test/conformance/test-cmd/run.ts`, with Go. Prints each case and the score; below the recorded one (score.json) it fails. Names of cases limit it to
 * those (`run.ts pod kubectl_apply`), and then nothing is compared and none may fail.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { lacked } from '../../tools/command.ts';
import { scoreOf, type Spec } from '../critest/report.ts';
import { kubectlPrograms } from './place.ts';
import { runShare, type Share } from './share.ts';

const LOG = join(import.meta.dirname, '..', '..', '..', '.cache', 'test-cmd.log');

/** The longest cases, for half of the time they wait: beside the rest, in shares that take as long as that. */
const APART: readonly (readonly string[])[] = [
	['wait', 'cluster_management', 'deployment', 'kubectl_get', 'template_output', 'multi_resources', 'rc'],
	[
		...['kubectl_apply', 'kubectl_server_side_apply', 'kubectl_apply_deployments', 'kubectl_diff', 'kubectl_debug'],
		...['pod', 'crd', 'recursive_resources', 'service', 'rs'],
	],
];

const wanted = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
const said: string[][] = [];
try {
	const missing = await whatIsMissing();
	if (missing === undefined) await score();
	else if (process.env['CI'] === 'true') throw new Error(missing);
	else {
		totals.skipped = await recorded();
		console.log(`- ${totals.skipped} cases: skipped, ${missing}`);
	}
} catch (error) {
	console.log(`✘ kubectl's scripts: ${messageOf(error)}`);
	totals.failed++;
}
await writeFile(LOG, said.flat().join('\n'));
console.log(`totals: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 ? 1 : 0;

async function whatIsMissing(): Promise<string | undefined> {
	const reason = await lacked(['go', 'jq', 'curl', 'openssl']);
	return reason === undefined ? undefined : `kubectl's suite ${reason}`;
}

async function recorded(): Promise<number> {
	return (JSON.parse(await readFile(join(import.meta.dirname, 'score.json'), 'utf8')) as { passed: number }).passed;
}

async function score(): Promise<void> {
	const { passed, failed } = scoreOf(await allCases());
	Object.assign(totals, { passed, failed });
	console.log(`score: ${passed} of ${passed + failed} passed, ${failed} failed; what was said is in ${LOG}`);
	const before = wanted.length > 0 ? 0 : await recorded();
	if (passed >= before) return;
	console.log(`✘ ${passed} cases passed, ${before} are recorded`);
	totals.failed ||= 1;
}

/** Each share comes to its end, whatever becomes of the others. */
async function allCases(): Promise<readonly Spec[]> {
	const programs = await kubectlPrograms();
	const rest: Share = { cases: wanted, elsewhere: wanted.length > 0 ? [] : APART.flat() };
	const apart = wanted.length > 0 ? [] : APART.map((cases): Share => ({ cases, elsewhere: [] }));
	const ended = await Promise.allSettled(
		[rest, ...apart].map((share) => {
			const lines: string[] = [];
			said.push(lines);
			return runShare(programs, share, { line: (line) => lines.push(line), spec: tell });
		}),
	);
	return ended.flatMap((share) => {
		if (share.status === 'rejected') throw share.reason;
		return share.value;
	});
}

function tell({ name, result, message, seconds }: Spec): void {
	console.log(`${result === 'passed' ? '✔' : '✘'} ${name} (${seconds.toFixed(1)}s)`);
	if (message !== '') console.log(message);
}
