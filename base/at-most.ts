/** At most so many pieces of work under way at once, in the order they came. */
export class AtMost {
	readonly #most: number;
	readonly #waiting: (() => void)[] = [];
	#running = 0;

	/** @param most Infinity is any number */
	constructor(most: number) {
		this.#most = most;
	}

	/** The work's outcome; the signal's reason where that aborts while the work waits, which then never begins. */
	async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		await this.#turn(signal);
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.#running--;
			else next();
		}
	}

	async #turn(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (this.#running < this.#most) {
			this.#running++;
			return;
		}
		await new Promise<void>((resolve, reject) => {
			const go = (): void => {
				signal.removeEventListener('abort', onAbort);
				resolve();
			};
			const onAbort = (): void => {
				const at = this.#waiting.indexOf(go);
				if (at >= 0) this.#waiting.splice(at, 1);
				reject(signal.reason as Error);
			};
			signal.addEventListener('abort', onAbort, { once: true });
			this.#waiting.push(go);
		});
	}
}
