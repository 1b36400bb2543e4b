/** A cluster of a test's own: started detached by the real command in a folder of its own, and removed without a trace. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must, run, Running, type Result, type RunOptions } from '../tools/command.ts';
import { ownPort } from '../tools/ports.ts';

export const LAUNCHER = join(import.meta.dirname, '..', '..', 'cli', 'launcher.js');

export interface TestCluster extends AsyncDisposable {
	readonly name: string;
	readonly dir: string;
	readonly dataDir: string;
	readonly env: NodeJS.ProcessEnv;
	/** Starts (or resumes) it; resolves with what was printed. */
	up(...flags: readonly string[]): Promise<string>;
	kubeling(...args: readonly string[]): Promise<Result>;
}

let count = 0;

export async function testCluster(kind: string): Promise<TestCluster> {
	const name = `${kind}-${process.pid}-${++count}`;
	const dir = await mkdtemp(join(tmpdir(), `kubeling-${kind}-`));
	const dataDir = join(dir, 'data');
	const env = { ...process.env, KUBECONFIG: join(dir, 'kubeconfig'), HOME: dir };
	const which = ['--name', name, '--data-dir', dataDir];
	const port = String(await ownPort('0.0.0.0'));
	return {
		name,
		dir,
		dataDir,
		env,
		up: (...flags) => must(process.execPath, [LAUNCHER, 'up', '--detach', '--port', port, ...which, ...flags], { env, timeoutMs: 120_000 }),
		kubeling: (verb = '', ...args) => run(process.execPath, [LAUNCHER, verb, ...which, ...args], { env, timeoutMs: 120_000 }),
		async [Symbol.asyncDispose]() {
			await run(process.execPath, [LAUNCHER, 'down', '--delete', ...which], { env, timeoutMs: 120_000 });
			await rm(dir, { recursive: true, force: true });
		},
	};
}

/** kubectl against a cluster: `k('get', 'pods')` resolves with what it printed and rejects when it fails. */
export class Kubectl {
	readonly #path: string;
	readonly #env: NodeJS.ProcessEnv;
	readonly #base: readonly string[];

	constructor(path: string, cluster: Pick<TestCluster, 'env'>, namespace: string) {
		this.#path = path;
		this.#env = cluster.env;
		this.#base = ['--namespace', namespace];
	}

	must(args: readonly string[], options: RunOptions = {}): Promise<string> {
		return must(this.#path, [...this.#base, ...args], { ...options, env: this.#env });
	}
	/** All of them at once. */
	async apply(...items: readonly object[]): Promise<void> {
		await this.must(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
	}
	run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
		return run(this.#path, [...this.#base, ...args], { ...options, env: this.#env });
	}
	start(...args: readonly string[]): Running {
		return new Running(this.#path, [...this.#base, ...args], this.#env);
	}
	/** In a terminal of its own (util-linux's script), as a person would. */
	terminal(...args: readonly string[]): Running {
		const words = [this.#path, ...this.#base, ...args].map((w) => `'${w.replaceAll("'", `'\\''`)}'`).join(' ');
		return new Running('script', ['-qefc', words, '/dev/null'], this.#env);
	}
}
