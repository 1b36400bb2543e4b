/** A count that goes up and down, and how long it stood at each value: what averages, deviations and time-weighted histograms are made of. */

/** Where the count was since the last look. */
export interface Stay {
	readonly average: number;
	readonly deviation: number;
	readonly max: number;
	/** 0: no time has passed. */
	readonly ms: number;
}

export class Occupancy {
	#count = 0;
	#since: number;
	#max = 0;
	/** Milliseconds at each count, since the last `take` and since the last `drain`. */
	#period: number[] = [0];
	#undrained: number[] = [0];

	constructor(now: number) {
		this.#since = now;
	}

	get count(): number {
		return this.#count;
	}

	/** @param now ms of the monotonic clock */
	add(delta: number, now: number): void {
		this.#pass(now);
		this.#count += delta;
		if (this.#count > this.#max) this.#max = this.#count;
	}

	/** Time-weighted average, standard deviation and highest count since the last call, which starts a new period. */
	take(now: number): Stay {
		this.#pass(now);
		let ms = 0;
		let sum = 0;
		let squares = 0;
		for (const [count, time] of this.#period.entries()) {
			ms += time;
			sum += time * count;
			squares += time * count * count;
		}
		this.#period = [0];
		const max = this.#max;
		this.#max = this.#count;
		if (ms <= 0) return { average: 0, deviation: 0, max, ms: 0 };
		const average = sum / ms;
		return { average, deviation: Math.sqrt(Math.max(0, squares / ms - average * average)), max, ms };
	}

	/** Milliseconds spent at each count since the last call. */
	*drain(now: number): Generator<readonly [count: number, ms: number]> {
		this.#pass(now);
		const times = this.#undrained;
		this.#undrained = [0];
		for (const [count, ms] of times.entries()) if (ms > 0) yield [count, ms];
	}

	#pass(now: number): void {
		const ms = now - this.#since;
		if (ms <= 0) return;
		this.#since = now;
		spend(this.#period, this.#count, ms);
		spend(this.#undrained, this.#count, ms);
	}
}

function spend(times: number[], count: number, ms: number): void {
	while (times.length <= count) times.push(0);
	times[count] = (times[count] as number) + ms;
}
