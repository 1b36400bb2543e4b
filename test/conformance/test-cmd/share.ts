/** A share of the cases: a copy of the scripts, and servers of its own for them, so that shares do not meet each other's objects. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { ownPort } from '../../tools/ports.ts';
import type { Spec } from '../critest/report.ts';
import { scriptsIn } from './place.ts';
import { Cases } from './report.ts';
import { servers } from './servers.ts';

/** A bound, no measure: it takes three to eight minutes, by what runs beside it. */
const BOUND_MS = 30 * 60_000;

export interface Share {
	/** Names of cases; none: all. */
	readonly cases: readonly string[];
	/** Names of those that others have. */
	readonly elsewhere: readonly string[];
}

export interface Told {
	/** Each line that is said, by the scripts and at their end by the servers. */
	readonly line: (line: string) => void;
	/** Each case as it ends. */
	readonly spec: (spec: Spec) => void;
}

/** @param programs the folder of kubectl and kubectl-convert */
export async function runShare(programs: string, { cases, elsewhere }: Share, told: Told): Promise<readonly Spec[]> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-test-cmd-'));
	const [root, temporary] = [join(dir, 'kubernetes'), join(dir, 'tmp')];
	try {
		for (const folder of [root, temporary]) await mkdir(folder);
		await using files = await fileServer(root);
		await scriptsIn(root, { programs, files: files.url, temporary });
		const port = await ownPort('127.0.0.1');
		await using running = await servers(root, dir, port);
		// Where upstream's server, started by these scripts, writes its own.
		for (const name of ['apiserver.crt', 'apiserver.key']) await copyFile(join(dir, 'data', 'pki', name), join(temporary, name));
		try {
			return await drive([join(import.meta.dirname, 'drive.sh'), root, String(port), temporary, elsewhere.join(' '), ...cases], told);
		} finally {
			told.line(`== the servers\n${running.output}`);
		}
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}

async function drive(args: readonly string[], told: Told): Promise<readonly Spec[]> {
	const env = { ...process.env, LANG: 'C', KUBECONFIG: undefined };
	const child = spawn('bash', [...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
	const timer = setTimeout(() => end(child.pid), BOUND_MS);
	const cases = new Cases(performance.now());
	const last: string[] = [];
	const lines = createInterface({ input: child.stdout });
	lines.on('line', (line) => {
		told.line(line);
		if (last.push(line) > 20) last.shift();
		const spec = cases.add(line, performance.now());
		if (spec !== undefined) told.spec(spec);
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => told.line(text.trimEnd()));
	try {
		await new Promise<void>((resolve, reject) => {
			child.once('error', reject);
			child.once('close', () => resolve());
		});
	} finally {
		clearTimeout(timer);
		end(child.pid);
	}
	if (!cases.ended) throw new Error(`they did not come to their end; the last lines: ${last.join('\n')}`);
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
