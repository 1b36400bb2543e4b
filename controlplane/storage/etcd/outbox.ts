/** What is sent on a stream, in order, as it comes: pushed on one side, iterated on the other. */
export class Outbox<T> implements AsyncIterable<T> {
	readonly #items: T[] = [];
	#ended = false;
	#wake: () => void = () => {};

	push(item: T): void {
		this.#items.push(item);
		this.#wake();
	}

	end(): void {
		this.#ended = true;
		this.#wake();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<T> {
		for (;;) {
			while (this.#items.length > 0) yield this.#items.shift() as T;
			if (this.#ended) return;
			await new Promise<void>((resolve) => (this.#wake = resolve));
		}
	}
}
