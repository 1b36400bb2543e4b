/** Where every choice of an input comes from: one at a time, from fast-check, so that a failing input is found again by its seed and shrinks towards first choices. */
import fc, { type GeneratorValue } from 'fast-check';

export class Choose {
	readonly #next: GeneratorValue;

	constructor(next: GeneratorValue) {
		this.#next = next;
	}

	/** A whole number from 0 to `max`, both among them. */
	upTo(max: number): number {
		return this.#next(fc.nat, max);
	}

	/** One of them; the first is the simplest. */
	pick<T>(all: readonly T[]): T {
		return all[this.upTo(all.length - 1)] as T;
	}

	/** True so many times of a hundred. */
	chance(percent: number): boolean {
		return this.upTo(99) >= 100 - percent;
	}

	/** Up to `max` of what `make` gives, few more often than many. */
	several<T>(max: number, make: () => T): T[] {
		return Array.from({ length: this.upTo(this.upTo(max)) }, make);
	}
}
