/**
 * `npm test`: runs ava, then the suites that need the whole machine, and ends with the plain line
 * `N passed, N failed, N skipped` over all of them. Before it stands again what failed. Arguments name test files, and then only those run;
 * with `--short` the long suites are left out.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failures } from './failures.ts';
import { nullDeviceFault } from './null-device.ts';
import { SUITES, type Suite, type Totals } from './suites.ts';

const root = join(import.meta.dirname, '..', '..');
const { values, positionals: only } = parseArgs({ options: { short: { type: 'boolean', default: false } }, allowPositionals: true });
const told: string[] = [];

/** Runs one suite's command and reads its closing totals; a suite that prints none, or exits badly with none failed, counts as one failure. */
async function runSuite({ name, command }: Suite, tell: (line: string) => void): Promise<Totals> {
	tell(`\n== ${name}`);
	const child = spawn(process.execPath, [...command], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'inherit'],
		env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache', 'compile'), NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
	});
	let totals: Totals | undefined;
	const failures = new Failures();
	let rest = '';
	child.stdout.setEncoding('utf8');
	child.stdout.on('data', (chunk: string) => {
		const lines = (rest + chunk).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			const match = /^totals: (\d+) passed, (\d+) failed, (\d+) skipped$/.exec(line);
			if (match !== null) totals = { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3]) };
			else {
				tell(line);
				failures.add(line);
			}
		}
	});
	const code = await new Promise<number>((resolve) => child.on('close', (c) => resolve(c ?? 1)));
	if (code !== 0 || totals === undefined || totals.failed > 0) told.push(`\n== ${name}: failed`, ...failures.lines());
	if (totals === undefined) {
		told.push(`${name}: ended with exit code ${code} and printed no totals`);
		return { passed: 0, failed: 1, skipped: 0 };
	}
	return code !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals;
}

/** What goes on beside others is told as a whole, at its end. */
async function counted(suite: Suite): Promise<void> {
	const lines: string[] = [];
	const tell = suite.beside === 'begins' ? (line: string): void => void lines.push(line) : console.log;
	const began = performance.now();
	const one = await runSuite(suite, tell);
	tell(`${suite.name}: ${Math.round((performance.now() - began) / 1000)} s`);
	for (const line of lines) console.log(line);
	lookAtNullDevice(`while "${suite.name}" ran`);
	sum.passed += one.passed;
	sum.failed += one.failed;
	sum.skipped += one.skipped;
}

/** That it is lost is one failure, told of when it is found. */
function lookAtNullDevice(when: string): void {
	if (nullFault !== undefined) return;
	nullFault = nullDeviceFault();
	if (nullFault === undefined) return;
	sum.failed++;
	told.push(`\n== ${when}: ${nullFault}`);
}

const sum: Totals = { passed: 0, failed: 0, skipped: 0 };
let nullFault: string | undefined;
lookAtNullDevice('before the tests');
const suites: readonly Suite[] = only.length > 0 ? [{ name: 'unit', command: ['test/gate/ava.ts', ...only] }] : SUITES;
const beside: Promise<void>[] = [];
for (const suite of suites) {
	if (suite.long === true && values.short) {
		console.log(`\n== ${suite.name}: left to npm test`);
		continue;
	}
	if (suite.beside === 'begins') {
		beside.push(counted(suite));
		continue;
	}
	if (suite.beside === 'waits') await Promise.all(beside);
	await counted(suite);
}
await Promise.all(beside);
for (const line of told) console.log(line);
console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed > 0 ? 1 : 0;
