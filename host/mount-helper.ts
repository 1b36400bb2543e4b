/**
 * The native helper (native/mount-helper.c) as a process of its own: a mount by it takes some tenths of a millisecond, one by a command several, most of
 * which go into copying a large process to start it. It is small, knows nothing, and ends with who started it.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { AppError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { mountCommands, type Mounter } from './mounter.ts';
import { MOUNT_HELPER_BASE64 } from './native/gen/mount-helper.ts';
import { installProgram, programFor } from './native/install.ts';

/** PATH_MAX of the kernel, with the zero at the end. */
const LONGEST_PATH = 4096;
/** Something has it open; helpers are so fast that a process which begins with copies of all that is open may be the one. */
const EBUSY = 16;
/** Before the first answer. */
const GREETING = 'ready';

interface Waiting {
	readonly resolve: (errno: number) => void;
	readonly reject: (error: Error) => void;
}

export class MountHelper implements Mounter {
	readonly #path: string;
	readonly #log: Log;
	#running: Promise<HelperProcess | undefined> | undefined;

	private constructor(path: string, log: Log) {
		this.#path = path;
		this.#log = log;
	}

	/** Installed in the folder and started. Where it does not run (another processor, a folder that has no programs), commands do its work: that is logged. */
	static async start(dir: string, log: Log): Promise<MountHelper> {
		const helper = new MountHelper(join(dir, 'kubeling-mount'), log);
		helper.#running = helper.#install();
		await helper.#running;
		return helper;
	}

	async bind(source: string, target: string): Promise<void> {
		await this.#do('bind', source, target, () => mountCommands.bind(source, target), `Cannot mount "${source}" at "${target}"`);
	}

	async tmpfs(target: string, options: readonly string[]): Promise<void> {
		await this.#do('tmpfs', target, options.join(','), () => mountCommands.tmpfs(target, options), `Cannot mount a tmpfs at "${target}"`);
	}

	async unmount(target: string): Promise<void> {
		await this.#do('unmount', target, '', () => mountCommands.unmount(target), `Cannot unmount "${target}"`);
	}

	async stop(): Promise<void> {
		(await this.#running)?.end();
	}

	async #do(what: string, first: string, second: string, byCommand: () => Promise<void>, failure: string): Promise<void> {
		for (const path of [first, second])
			if (path.includes('\0') || Buffer.byteLength(path) >= LONGEST_PATH) throw new AppError('InvalidArgument', `"${path}" is no path`);
		const helper = await (this.#running ??= this.#launch());
		if (helper === undefined) return byCommand();
		const errno = await helper.ask([what, first, second]);
		if (errno === EBUSY) return byCommand(); // who has it for a moment only is gone by then
		if (errno !== 0) throw new AppError('Internal', `${failure}: ${getSystemErrorMessage(-errno) ?? `errno ${errno}`}`);
	}

	async #install(): Promise<HelperProcess | undefined> {
		try {
			await installProgram(this.#path, programFor('mount', MOUNT_HELPER_BASE64));
		} catch (error) {
			return this.#without(error);
		}
		return this.#launch();
	}

	#launch(): Promise<HelperProcess | undefined> {
		return HelperProcess.start(this.#path, () => (this.#running = undefined)).catch((error: unknown) => this.#without(error));
	}

	#without(error: unknown): undefined {
		this.#log.warn('mounts are made by commands, which is slower: the helper does not run', { error: messageOf(error) });
	}
}

/** One run of it. Keeps this process from ending only while somebody waits for an answer. */
class HelperProcess {
	readonly #requests: Socket;
	readonly #answers: Socket;
	readonly #waiting = new Map<number, Waiting>();
	#last = 0;

	static start(path: string, onEnd: () => void): Promise<HelperProcess> {
		return new Promise((resolve, reject) => {
			const child = spawn(path, [], { stdio: ['pipe', 'pipe', 'ignore'] });
			const helper = new HelperProcess(child.stdin as Socket, child.stdout as Socket, () => resolve(helper));
			child.once('error', reject);
			child.once('exit', (code, signal) => {
				onEnd();
				const error = new AppError('Unavailable', `The mount helper ended (${code ?? signal})`);
				reject(error);
				helper.#fail(error);
			});
			child.unref();
		});
	}

	private constructor(requests: Socket, answers: Socket, onReady: () => void) {
		this.#requests = requests;
		this.#answers = answers;
		let rest = '';
		answers.setEncoding('utf8').on('data', (chunk: string) => {
			const lines = (rest + chunk).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) {
				if (line === GREETING) onReady();
				else this.#answered(line);
			}
			if (this.#waiting.size === 0) answers.unref();
		});
		requests.on('error', () => {}); // it ended, which is told there
		requests.unref();
	}

	/** The errno; 0 for success. */
	ask(words: readonly string[]): Promise<number> {
		return new Promise((resolve, reject) => {
			const number = ++this.#last;
			this.#waiting.set(number, { resolve, reject });
			this.#answers.ref();
			this.#requests.write(`${[number, ...words].join('\0')}\0`);
		});
	}

	end(): void {
		this.#requests.end();
	}

	#answered(line: string): void {
		const [number, errno] = line.split(' ').map(Number);
		this.#waiting.get(number ?? 0)?.resolve(errno ?? 0);
		this.#waiting.delete(number ?? 0);
	}

	#fail(error: Error): void {
		for (const { reject } of this.#waiting.values()) reject(error);
		this.#waiting.clear();
	}
}
