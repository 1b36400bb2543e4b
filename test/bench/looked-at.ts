/** Processes that are looked at from inside: what loop-delay.ts, loaded into them, tells of their event loop and their memory. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

/** Since the last time, p99.9 in ms. */
export interface Turns extends Load {
	/** While many clients came or went at once. */
	readonly rush: Load;
}

interface Load {
	/** How late the loop turned, whoever had the processor. */
	readonly delay: number;
	/** How long the loop itself had the processor between two turns. */
	readonly busy: number;
}

export class LookedAt {
	/** For the process: it makes it listen. */
	readonly env: Readonly<Record<string, string>>;
	pid = 0;
	readonly #ask: string;

	/** @param name a file's, in the folder */
	constructor(dir: string, name: string) {
		this.#ask = join(dir, name);
		const inside = pathToFileURL(join(import.meta.dirname, 'loop-delay.ts')).href;
		this.env = { NODE_OPTIONS: `--import=${inside}`, KUBELING_BENCH_ASK: this.#ask };
	}

	turns(): Promise<Turns> {
		return this.#answer('turns') as Promise<Turns>;
	}

	/** While the work lasts many clients come or go at once: that is told apart. */
	async rush<T>(work: () => Promise<T>): Promise<T> {
		await this.#answer('rush');
		try {
			return await work();
		} finally {
			await this.#answer('steady');
		}
	}

	/** Bytes in use once all garbage is gone: the heap, and what hangs on it outside. */
	async memory(): Promise<number> {
		return ((await this.#answer('memory')) as { used: number }).used;
	}

	async #answer(question: string): Promise<unknown> {
		const answer = `${this.#ask}.answer`;
		await rm(answer, { force: true });
		await writeFile(this.#ask, question);
		process.kill(this.pid, 'SIGUSR2');
		for (;;) {
			await sleep(20);
			const text = await readFile(answer, 'utf8').catch(() => '');
			if (text !== '') return JSON.parse(text);
		}
	}
}
