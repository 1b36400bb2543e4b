/** A feed with any number of followers, each with a queue of its own. */

export class EventFeed<T> {
	readonly #followers = new Set<(event: T) => void>();

	publish(event: T): void {
		for (const follower of this.#followers) follower(event);
	}

	/** Ends when the signal aborts. Follows from the first `next` on, and says so. */
	async *follow(signal: AbortSignal, begun = (): void => {}): AsyncGenerator<T, void> {
		const queue: T[] = [];
		let wake: (() => void) | undefined;
		const follower = (event: T): void => {
			queue.push(event);
			wake?.();
		};
		const onAbort = (): void => wake?.();
		this.#followers.add(follower);
		begun();
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			while (!signal.aborted) {
				const event = queue.shift();
				if (event !== undefined) yield event;
				else await new Promise<void>((resolve) => (wake = resolve));
			}
		} finally {
			this.#followers.delete(follower);
			signal.removeEventListener('abort', onAbort);
		}
	}
}
