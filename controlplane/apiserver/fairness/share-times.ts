/** How long something stood at each share of a whole, which may change: what was counted before stays counted as it was (upstream: TimingRatioHistogram). */
import type { Occupancy } from './occupancy.ts';

/** Of one series, in nanoseconds. */
export interface ShareCounts {
	/** By the first bucket that holds the share; the last one is beyond all. */
	readonly slots: readonly number[];
	readonly sum: number;
}

export class ShareTimes {
	readonly #of: Occupancy;
	readonly buckets: readonly number[];
	readonly #slots: number[];
	#whole: number;
	#sum = 0;

	/** Nobody else may ask the occupancy for its times. */
	constructor(of: Occupancy, buckets: readonly number[], whole: number) {
		this.#of = of;
		this.buckets = buckets;
		this.#whole = whole;
		this.#slots = Array.from({ length: buckets.length + 1 }, () => 0);
	}

	/** @param now ms of the monotonic clock */
	resize(whole: number, now: number): void {
		if (whole === this.#whole) return;
		this.#settle(now);
		this.#whole = whole;
	}

	read(now: number): ShareCounts {
		this.#settle(now);
		return { slots: [...this.#slots], sum: this.#sum };
	}

	#settle(now: number): void {
		for (const [count, ms] of this.#of.drain(now)) {
			const share = count / Math.max(1, this.#whole);
			const at = this.buckets.findIndex((bound) => share <= bound);
			const slot = at < 0 ? this.buckets.length : at;
			this.#slots[slot] = (this.#slots[slot] as number) + ms * 1e6;
			this.#sum += share * ms * 1e6;
		}
	}
}
