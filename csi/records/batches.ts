/** Work that is done for many at once: what is asked for while it runs waits for the next run, and shares it. */
export class Batches<T> {
	readonly #run: (items: readonly T[]) => Promise<void>;
	#items: T[] = [];
	/** Of the run that has not begun; undefined where nobody waits. */
	#next: PromiseWithResolvers<void> | undefined;
	#running = false;

	constructor(run: (items: readonly T[]) => Promise<void>) {
		this.#run = run;
	}

	/** Resolves once a run with the item is over; rejects as that does. */
	add(item: T): Promise<void> {
		this.#items.push(item);
		this.#next ??= Promise.withResolvers();
		const { promise } = this.#next;
		if (!this.#running) this.#work().catch(() => {}); // a run's failure is its callers'
		return promise;
	}

	async #work(): Promise<void> {
		this.#running = true;
		for (let next = this.#next; next !== undefined; next = this.#next) {
			const items = this.#items;
			[this.#items, this.#next] = [[], undefined];
			await this.#run(items).then(next.resolve, next.reject);
		}
		this.#running = false;
	}
}
