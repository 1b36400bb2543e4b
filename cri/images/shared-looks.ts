/**
 * Those who look at the same thing at once share a look. Who asks while one is under way waits for the next, which begins after the question: no answer is older
 * than what was asked.
 */
export class SharedLooks<T> {
	readonly #look: (key: string) => Promise<T>;
	/** Resolves, in any case, when the look is over. */
	readonly #underWay = new Map<string, Promise<void>>();
	readonly #next = new Map<string, Promise<T>>();

	constructor(look: (key: string) => Promise<T>) {
		this.#look = look;
	}

	at(key: string): Promise<T> {
		const before = this.#underWay.get(key);
		if (before === undefined) return this.#begin(key);
		const known = this.#next.get(key);
		if (known !== undefined) return known;
		const next = before.then(() => {
			this.#next.delete(key);
			return this.#begin(key);
		});
		this.#next.set(key, next);
		return next;
	}

	#begin(key: string): Promise<T> {
		const look = this.#look(key);
		const end = (): void => {
			if (this.#underWay.get(key) === over) this.#underWay.delete(key);
		};
		const over = look.then(end, end);
		this.#underWay.set(key, over);
		return look;
	}
}
