/** A program in a process of its own that can be killed and comes back, as under a supervisor. It says "ready" to its parent. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { openFiles } from './open-files.ts';

const START_MS = 120_000;

/** What is started, and how. */
export interface Program {
	readonly file: string | URL;
	readonly nodeFlags: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
}

/** How sources are started as they are. */
export const SOURCE_FLAGS: readonly string[] = ['--disable-warning=ExperimentalWarning'];

export interface Holdings {
	readonly fds: number;
	readonly children: number;
}

export class KillableProcess implements AsyncDisposable {
	/** What it wrote on standard error, last lines. */
	readonly said: string[] = [];
	readonly #program: Program;
	readonly #args: readonly string[];
	#child: ChildProcess | undefined;
	#starting: Promise<void> | undefined;

	constructor(program: Program, args: readonly string[]) {
		this.#program = program;
		this.#args = args;
	}

	get pid(): number {
		return this.#child?.pid ?? 0;
	}

	/** Starts it where it is away; ready when this resolves. */
	up(): Promise<void> {
		this.#starting ??= this.#start().finally(() => {
			this.#starting = undefined;
		});
		return this.#starting;
	}

	/** `kill -9`; resolves once the process is gone. */
	async kill(): Promise<void> {
		await this.#end('SIGKILL');
	}

	async restart(): Promise<void> {
		await this.#end('SIGTERM');
		await this.up();
	}

	/** Its open file descriptors and child processes. */
	async holdings(): Promise<Holdings> {
		const fds = await openFiles(this.pid);
		const children = (await readFile(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')).trim().split(' ').filter(Boolean).length;
		return { fds, children };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#end('SIGTERM');
	}

	async #start(): Promise<void> {
		if (this.#child !== undefined) return;
		const until = Date.now() + START_MS;
		while (this.#child === undefined) {
			if (Date.now() > until) throw new Error(`it does not start; it said: ${this.said.slice(-20).join('\n')}`);
			this.#child = await this.#tryStart();
		}
	}

	/** A process that is ready, or undefined where it ended before. */
	async #tryStart(): Promise<ChildProcess | undefined> {
		const { file, nodeFlags, env = process.env } = this.#program;
		const child = fork(file, [...this.#args], {
			execArgv: [...nodeFlags],
			env,
			stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
		});
		child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			this.said.push(...text.trimEnd().split('\n'));
			this.said.splice(0, Math.max(0, this.said.length - 400));
		});
		child.once('exit', () => {
			if (this.#child === child) this.#child = undefined;
		});
		const ready = await Promise.race([once(child, 'message').then(() => true), once(child, 'exit').then(() => false)]);
		return ready && child.exitCode === null && child.signalCode === null ? child : undefined;
	}

	async #end(signal: NodeJS.Signals): Promise<void> {
		await this.#starting?.catch(() => {});
		const child = this.#child;
		if (child === undefined) return;
		const gone = once(child, 'exit');
		child.kill(signal);
		await gone;
	}
}
