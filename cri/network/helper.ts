/** The native helper (pause/pause.c) as a process that attaches and detaches pods: one line a request, one line an answer. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { installProgram, programFor } from '../../host/native/install.ts';
import { PAUSE_BASE64 } from '../pause/gen/pause.ts';

export function pauseBinary(arch?: string): Buffer {
	return programFor('pause', PAUSE_BASE64, arch);
}

/** Writes the helper into the folder (unless it is there already) and returns its path. */
export async function installHelper(dir: string): Promise<string> {
	const path = join(dir, 'kubeling-pause');
	await installProgram(path, pauseBinary());
	return path;
}

/** What a request asks for, in the words of its failure. */
const REQUESTS = {
	attach: 'attach the pod network',
	detach: 'detach the pod network',
	loopback: "bring up the pod's loopback",
	pin: "keep the pod's network namespace",
	unpin: "give up the pod's network namespace",
	forget: 'end UDP conversations with the host ports',
} as const;
type Request = keyof typeof REQUESTS;

interface Waiting {
	resolve(): void;
	reject(error: Error): void;
	readonly request: Request;
}

export class Helper {
	readonly path: string;
	#process: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
	#waiting: Waiting[] = [];

	constructor(path: string) {
		this.path = path;
	}

	/** Sends one request; requests are answered in order. Throws Internal with the step that failed. */
	request(request: Request, ...words: readonly (string | number)[]): Promise<void> {
		const child = this.#running();
		return new Promise((resolve, reject) => {
			this.#waiting.push({ resolve, reject, request });
			child.stdin.write(`${[request, ...words].join(' ')}\n`);
		});
	}

	stop(): void {
		this.#process?.stdin.end();
		this.#process = undefined;
	}

	#running(): ChildProcessByStdio<Writable, Readable, Readable> {
		if (this.#process !== undefined) return this.#process;
		const child = spawn(this.path, ['serve'], { stdio: ['pipe', 'pipe', 'pipe'] });
		let rest = '';
		child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
			const lines = (rest + chunk).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) {
				const waiting = this.#waiting.shift();
				if (line === 'ok') waiting?.resolve();
				else waiting?.reject(new AppError('Internal', `Cannot ${REQUESTS[waiting.request]}: ${line}`));
			}
		});
		const ended = (cause?: unknown): void => {
			if (this.#process === child) this.#process = undefined;
			const failed = this.#waiting;
			this.#waiting = [];
			for (const one of failed) one.reject(new AppError('Unavailable', 'The network helper process ended', { cause }));
		};
		child.on('error', ended);
		child.on('exit', () => ended());
		child.stdin.on('error', () => {});
		this.#process = child;
		return child;
	}
}
