/** Running commands in tests: output kept, time bounded, a failure that tells what was said. */
import { spawn, type ChildProcess } from 'node:child_process';

/** Longer than kubectl is told to wait itself, on a machine that is busy: a bound, no measure. */
const BOUND_MS = 120_000;

export interface Result {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

export interface RunOptions {
	readonly env?: NodeJS.ProcessEnv;
	readonly input?: string;
	/** Two minutes unless told; then the process is killed and the call rejects. */
	readonly timeoutMs?: number;
	readonly cwd?: string;
	/** Among the arguments or in what it says; no error tells it. */
	readonly secret?: string;
}

/** Runs to the end; resolves whatever the exit code. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Result> {
	return new Promise((resolve, reject) => {
		const fail = (text: string): void => reject(new Error(withoutSecret(text, options)));
		const child = spawn(file, [...args], { env: options.env ?? process.env, cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'] });
		let [stdout, stderr] = ['', ''];
		child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
		child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
		const timer = setTimeout(() => {
			child.kill('SIGKILL');
			fail(
				`${file} ${args.join(' ')} took longer than ${options.timeoutMs ?? BOUND_MS} ms; it said: ${stdout.slice(-2000)}${stderr.slice(-2000)}`,
			);
		}, options.timeoutMs ?? BOUND_MS);
		child.once('error', (error: NodeJS.ErrnoException) => {
			clearTimeout(timer);
			// Node's own error carries all arguments.
			reject(options.secret === undefined ? error : Object.assign(new Error(withoutSecret(error.message, options)), { code: error.code }));
		});
		child.once('close', (code) => {
			clearTimeout(timer);
			resolve({ code: code ?? 1, stdout, stderr });
		});
		child.stdin.on('error', () => {});
		child.stdin.end(options.input ?? '');
	});
}

/** Runs to the end; rejects with everything it said when the exit code is not 0. */
export async function must(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
	const { code, stdout, stderr } = await run(file, args, options);
	if (code !== 0) throw new Error(withoutSecret(`${file} ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`, options));
	return stdout;
}

/** What a suite says that cannot run for want of one of the commands; undefined where all are there. */
export async function lacked(commands: readonly string[]): Promise<string | undefined> {
	const script = 'for c; do command -v "$c" > /dev/null || { printf %s "$c"; exit; }; done';
	const missing = await must('sh', ['-c', script, 'sh', ...commands]);
	return missing === '' ? undefined : `needs ${missing}, which this machine lacks`;
}

function withoutSecret(text: string, { secret }: RunOptions): string {
	return secret === undefined ? text : text.replaceAll(secret, '…');
}

/** A running command whose output can be waited for. Dispose kills it. */
export class Running implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #done: Promise<void>;
	#output = '';
	#wake: () => void = () => {};

	constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv) {
		this.#child = spawn(file, [...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
		for (const stream of [this.#child.stdout, this.#child.stderr])
			stream?.setEncoding('utf8').on('data', (text: string) => {
				this.#output += text;
				this.#wake();
			});
		this.#done = new Promise((resolve) => this.#child.once('close', () => resolve()));
	}

	get output(): string {
		return this.#output;
	}
	get pid(): number {
		return this.#child.pid ?? 0;
	}

	write(text: string): void {
		this.#child.stdin?.write(text);
	}

	/** Resolves with the match once the output so far matches; rejects after `timeoutMs`. */
	async waitFor(pattern: RegExp, timeoutMs = BOUND_MS): Promise<RegExpExecArray> {
		const until = Date.now() + timeoutMs;
		for (;;) {
			const match = pattern.exec(this.#output);
			if (match !== null) return match;
			const left = until - Date.now();
			if (left <= 0) throw new Error(`"${pattern}" was not printed within ${timeoutMs} ms; printed so far: ${this.#output}`);
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, left);
				this.#wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill('SIGKILL');
		await this.#done;
	}
}
