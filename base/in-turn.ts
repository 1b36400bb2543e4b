/** Work that must not overlap: by key, one after the other. */

export class InTurn {
	readonly #last = new Map<string, Promise<unknown>>();

	run<T>(key: string, work: () => Promise<T>): Promise<T> {
		const before = this.#last.get(key) ?? Promise.resolve();
		const mine = before.then(work, work);
		this.#last.set(key, mine);
		const done = (): void => {
			if (this.#last.get(key) === mine) this.#last.delete(key);
		};
		mine.then(done, done);
		return mine;
	}
}
