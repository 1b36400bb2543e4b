/** Work of two kinds: much that may go on at once, and some that must be alone (garbage collection, which names all attachments that count). */

export class Exclusive {
	readonly #shared = new Set<Promise<unknown>>();
	#alone: Promise<unknown> = Promise.resolve();

	/** Begins once nothing that was asked for before is alone. */
	shared<T>(work: () => Promise<T>): Promise<T> {
		const running = this.#alone.then(work);
		const over = (): boolean => this.#shared.delete(settled);
		const settled: Promise<unknown> = running.then(over, over);
		this.#shared.add(settled);
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
