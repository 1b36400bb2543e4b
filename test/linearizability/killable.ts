/** A subject in a process that can be killed and started again; calls under way when it dies are rejected. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import type { Subject } from './subject.ts';

export type Call =
	| { readonly id: number; readonly type: 'read'; readonly key: string }
	| { readonly id: number; readonly type: 'swap'; readonly key: string; readonly expect: string; readonly to: number | undefined };

export interface Answer {
	readonly id: number;
	readonly value?: number;
	readonly revision?: string;
	readonly error?: { readonly code: ErrorCode; readonly message: string };
}

export class Killable implements AsyncDisposable {
	readonly #path: string;
	#child: ChildProcess | undefined;
	#nextId = 1;
	#waiting = new Map<number, PromiseWithResolvers<Answer>>();
	readonly subject: Subject = {
		read: async (key) => {
			const { value, revision } = await this.#call({ type: 'read', key });
			return value === undefined || revision === undefined ? undefined : { value, revision: BigInt(revision) };
		},
		swap: async (key, expect, to) => BigInt((await this.#call({ type: 'swap', key, expect: String(expect), to })).revision ?? 0),
	};

	constructor(path: string) {
		this.#path = path;
	}

	async start(): Promise<void> {
		const child = fork(new URL('./store-process.ts', import.meta.url), [this.#path], {
			execArgv: ['--disable-warning=ExperimentalWarning'],
		});
		child.on('message', (answer: Answer) => {
			const waiting = this.#waiting.get(answer.id);
			this.#waiting.delete(answer.id);
			if (answer.error === undefined) waiting?.resolve(answer);
			else waiting?.reject(new AppError(answer.error.code, answer.error.message));
		});
		await once(child, 'message');
		this.#child = child;
	}

	/** `kill -9`; resolves once the process is gone. */
	async kill(): Promise<void> {
		const child = this.#child;
		this.#child = undefined;
		if (child === undefined) return;
		const gone = once(child, 'exit');
		child.kill('SIGKILL');
		const [, signal] = (await gone) as [number | null, string | null];
		if (signal !== 'SIGKILL') throw new Error(`the store process ended by itself (${signal})`);
		const lost = [...this.#waiting.values()];
		this.#waiting.clear();
		for (const { reject } of lost) reject(new AppError('Unavailable', 'the process was killed'));
	}

	#call(call: Omit<Extract<Call, { type: 'read' }>, 'id'> | Omit<Extract<Call, { type: 'swap' }>, 'id'>): Promise<Answer> {
		if (this.#child === undefined) return Promise.reject(new AppError('Unavailable', 'the process is away'));
		const id = this.#nextId++;
		const waiting = Promise.withResolvers<Answer>();
		this.#waiting.set(id, waiting);
		this.#child.send({ id, ...call });
		return waiting.promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.kill();
	}
}
