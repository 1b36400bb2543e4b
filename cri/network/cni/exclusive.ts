/**
 * Who may be at work at once: one after the other for the same pod (the specification forbids operations beside each other on one attachment), many
 * pods side by side, and some work alone (garbage collection, which names all attachments that count).
 */

export class Exclusive {
	readonly #shared = new Set<Promise<unknown>>();
	readonly #last = new Map<string, Promise<unknown>>();
	#alone: Promise<unknown> = Promise.resolve();

	/** Begins once nothing that was asked for before is alone, or of the same pod. */
	shared<T>(pod: string, work: () => Promise<T>): Promise<T> {
		const before = this.#last.get(pod) ?? Promise.resolve();
		const running = Promise.all([this.#alone, before]).then(work);
		const over = (): void => {
			this.#shared.delete(settled);
			if (this.#last.get(pod) === settled) this.#last.delete(pod);
		};
		const settled: Promise<unknown> = running.then(over, over);
		this.#shared.add(settled);
		this.#last.set(pod, settled);
		return running;
	}

	/** Begins once all that was asked for before is over; what comes later waits for it. */
	alone<T>(work: () => Promise<T>): Promise<T> {
		const before = [...this.#shared];
		const running = this.#alone.then(() => Promise.all(before)).then(work);
		this.#alone = running.catch(() => {});
		return running;
	}
}
