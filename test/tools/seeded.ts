/** Chance that repeats: the same seed gives the same choices, so that a campaign that failed can be run again. */
import { VirtualClock } from '../../base/virtual-clock.ts';

export class Seeded {
	readonly #clock: VirtualClock;
	constructor(seed: number) {
		this.#clock = new VirtualClock(0, seed);
	}

	/** Uniform in [0, 1). */
	random = (): number => this.#clock.random();

	/** A whole number from `low` to `high`, both among them. */
	between(low: number, high: number): number {
		return low + Math.floor(this.random() * (high - low + 1));
	}

	pick<T>(all: readonly [T, ...T[]]): T {
		return all[this.between(0, all.length - 1)] as T;
	}
}
