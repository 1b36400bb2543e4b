/** A shim that can be killed and comes back, as under a supervisor; its clients wait for it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { realClock } from '../../../base/clock.ts';
import { ImageServiceService, RuntimeServiceService } from '../../../cri/proto.ts';
import type { ShimOptions } from '../../../cri/shim.ts';
import { grpcClient, type GrpcClient } from '../../../wire/grpc/client.ts';

const START_MS = 120_000;

/** What is started, and how. */
export interface ShimProgram {
	readonly file: string | URL;
	readonly nodeFlags: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
}

/** The program as it stands in the sources. */
const SOURCES: ShimProgram = { file: new URL('./shim-process.ts', import.meta.url), nodeFlags: ['--disable-warning=ExperimentalWarning'] };

export class KillableShim implements AsyncDisposable {
	readonly options: ShimOptions;
	readonly runtime: GrpcClient<typeof RuntimeServiceService>;
	readonly images: GrpcClient<typeof ImageServiceService>;
	/** What the shim wrote on standard error, last lines. */
	readonly said: string[] = [];
	readonly #program: ShimProgram;
	#child: ChildProcess | undefined;
	#starting: Promise<void> | undefined;

	static async start(options: ShimOptions, program: ShimProgram = SOURCES): Promise<KillableShim> {
		const address = options.socketPath;
		const shim = new KillableShim(
			options,
			program,
			await grpcClient(RuntimeServiceService, { address, clock: realClock }),
			await grpcClient(ImageServiceService, { address, clock: realClock }),
		);
		await shim.up();
		return shim;
	}

	private constructor(
		options: ShimOptions,
		program: ShimProgram,
		runtime: GrpcClient<typeof RuntimeServiceService>,
		images: GrpcClient<typeof ImageServiceService>,
	) {
		this.options = options;
		this.#program = program;
		this.runtime = runtime;
		this.images = images;
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

	/** Open file descriptors and child processes of the shim. */
	async holdings(): Promise<{ readonly fds: number; readonly children: number }> {
		const fds = (await readdir(`/proc/${this.pid}/fd`)).length;
		const { readFile } = await import('node:fs/promises');
		const children = (await readFile(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')).trim().split(' ').filter(Boolean).length;
		return { fds, children };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#end('SIGTERM');
		this.runtime.close();
		this.images.close();
	}

	async #start(): Promise<void> {
		if (this.#child !== undefined) return;
		const until = Date.now() + START_MS;
		while (this.#child === undefined) {
			if (Date.now() > until) throw new Error(`the shim does not start; it said: ${this.said.slice(-20).join('\n')}`);
			this.#child = await this.#tryStart();
		}
	}

	/** A process that is ready, or undefined where it ended before. */
	async #tryStart(): Promise<ChildProcess | undefined> {
		const { file, nodeFlags, env = process.env } = this.#program;
		const child = fork(file, [JSON.stringify(this.options)], {
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
