/** What a failed creation left, or a start found without a whole record, and could not be taken away at once: tried again until it is gone. A restart finds the rest. */
import { delayMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

const RETRY = { initialMs: 200, maxMs: 30_000, jitter: 0.2 };

export class Leftovers {
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #stop = new AbortController();
	readonly #under = new Map<string, Promise<void>>();

	constructor(clock: Clock, log: Log) {
		this.#clock = clock;
		this.#log = log;
	}

	/** Throws Aborted while something of that name is still being removed: whoever makes it anew has to wait. */
	check(name: string): void {
		if (this.#under.has(name)) throw new AppError('Aborted', `What an earlier creation left of "${name}" is still being removed`);
	}

	/** Calls `work` until it succeeds; once under way for a name, a second call adds nothing. */
	add(name: string, work: () => Promise<void>): void {
		if (this.#under.has(name) || this.#stop.signal.aborted) return;
		this.#under.set(
			name,
			this.#retry(name, work).finally(() => this.#under.delete(name)),
		);
	}

	/** Resolves once nothing is under way any more. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await Promise.all(this.#under.values());
	}

	async #retry(name: string, work: () => Promise<void>): Promise<void> {
		const { signal } = this.#stop;
		for (let attempt = 0; !signal.aborted; attempt++) {
			await this.#clock.sleep(delayMs(RETRY, attempt, this.#clock.random()), signal).catch(() => {});
			if (signal.aborted) return;
			try {
				return await work();
			} catch (error) {
				this.#log.warn('cannot remove what was left', { name, attempt, error: messageOf(error) });
			}
		}
	}
}
