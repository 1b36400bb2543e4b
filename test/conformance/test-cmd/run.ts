/**
 * Upstream's own scripts for kubectl (`make test-cmd`: test/cmd of Kubernetes 1.36.2, some 90 cases) against our API server and controller manager:
 * `node test/conformance/test-cmd/run.ts`, with Go. Prints each case and the score; below the recorded one (score.json) it fails. Names of cases limit it to
 * those (`run.ts pod kubectl_apply`), and then nothing is compared and none may fail.
 */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '../../../base/errors.ts';
import { lacked } from '../../tools/command.ts';
import { ownPort } from '../../tools/ports.ts';
import { scoreOf, type Spec } from '../critest/report.ts';
import { kubectlPrograms, scriptsIn } from './place.ts';
import { Cases } from './report.ts';
import { servers } from './servers.ts';

const LOG = join(import.meta.dirname, '..', '..', '..', '.cache', 'test-cmd.log');
/** A bound, no measure: it takes eight to fourteen minutes, by what runs beside it. */
const BOUND_MS = 30 * 60_000;

const wanted = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
const said: string[] = [];
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
await writeFile(LOG, said.join('\n'));
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

async function allCases(): Promise<readonly Spec[]> {
	const programs = await kubectlPrograms();
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-test-cmd-'));
	const [root, temporary] = [join(dir, 'kubernetes'), join(dir, 'tmp')];
	try {
		for (const folder of [root, temporary]) await mkdir(folder);
		await using files = await fileServer(root);
		await scriptsIn(root, programs, files.url);
		const port = await ownPort('127.0.0.1');
		await using running = await servers(root, dir, port);
		// Where upstream's server, started by these scripts, writes its own.
		for (const name of ['apiserver.crt', 'apiserver.key']) await copyFile(join(dir, 'data', 'pki', name), join(temporary, name));
		try {
			return await drive([join(import.meta.dirname, 'drive.sh'), root, String(port), temporary, ...wanted]);
		} finally {
			said.push('== the servers', running.output);
		}
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}

/** Tells each case as it ends. */
async function drive(args: readonly string[]): Promise<readonly Spec[]> {
	const env = { ...process.env, LANG: 'C', KUBECONFIG: undefined };
	const child = spawn('bash', [...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
	const timer = setTimeout(() => end(child.pid), BOUND_MS);
	const cases = new Cases(performance.now());
	const lines = createInterface({ input: child.stdout });
	lines.on('line', (line) => {
		said.push(line);
		const spec = cases.add(line, performance.now());
		if (spec !== undefined) tell(spec);
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text.trimEnd()));
	try {
		await new Promise<void>((resolve, reject) => {
			child.once('error', reject);
			child.once('close', () => resolve());
		});
	} finally {
		clearTimeout(timer);
		end(child.pid);
	}
	if (!cases.ended) throw new Error(`they did not come to their end; the last lines: ${said.slice(-20).join('\n')}`);
	return cases.specs;
}

/** With all that it started. */
function end(pid: number | undefined): void {
	try {
		if (pid !== undefined) process.kill(-pid, 'SIGKILL');
	} catch {
		// None of them is there any more.
	}
}

function tell({ name, result, message, seconds }: Spec): void {
	console.log(`${result === 'passed' ? '✔' : '✘'} ${name} (${seconds.toFixed(1)}s)`);
	if (message !== '') console.log(message);
}

/** What scripts would fetch from upstream's repository. */
async function fileServer(root: string): Promise<AsyncDisposable & { readonly url: string }> {
	const server = createServer((request, response) => {
		readFile(join(root, normalize(`/${request.url ?? ''}`))).then(
			(body) => response.end(body),
			() => response.writeHead(404).end(),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/`,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
