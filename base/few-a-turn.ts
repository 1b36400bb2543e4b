/** At most so many of a kind of work begin in one turn of the event loop, in the order they came: for work whose cost shows only after it has begun. */
export class FewATurn {
	readonly #most: number;
	readonly #waiting: (() => void)[] = [];
	/** In this turn. */
	#begun = 0;
	#planned = false;

	constructor(most: number) {
		this.#most = most;
	}

	/** Runs it now or in a later turn, once. It must not throw. */
	run(work: () => void): void {
		this.#waiting.push(work);
		this.#begin();
	}

	#begin(): void {
		for (; this.#begun < this.#most && this.#waiting.length > 0; this.#begun++) this.#waiting.shift()?.();
		if (this.#planned || this.#begun === 0) return;
		this.#planned = true;
		setImmediate(this.#nextTurn);
	}

	readonly #nextTurn = (): void => {
		this.#planned = false;
		this.#begun = 0;
		this.#begin();
	};
}
