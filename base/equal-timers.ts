/** Timers of one length: those that nearly never ring cost a place in a list each, and one timer for all of them. */
import type { Clock } from './clock.ts';

class Waiting implements Disposable {
	readonly due: number;
	readonly ring: () => void;
	readonly #among: Set<Waiting>;

	constructor(due: number, ring: () => void, among: Set<Waiting>) {
		this.due = due;
		this.ring = ring;
		this.#among = among;
		among.add(this);
	}

	[Symbol.dispose](): void {
		this.#among.delete(this);
	}
}

export class EqualTimers {
	readonly #clock: Clock;
	readonly #ms: number;
	/** In the order in which they ring. */
	readonly #waiting = new Set<Waiting>();
	#armed = false;

	constructor(clock: Clock, ms: number) {
		this.#clock = clock;
		this.#ms = ms;
	}

	/** As the Clock's, after the one time that is set. */
	after(fn: () => void): Disposable {
		const waiting = new Waiting(this.#clock.monotonic() + this.#ms, fn, this.#waiting);
		if (!this.#armed) this.#arm(this.#ms);
		return waiting;
	}

	#arm(ms: number): void {
		this.#armed = true;
		this.#clock.after(ms, this.#rings);
	}

	readonly #rings = (): void => {
		this.#armed = false;
		const now = this.#clock.monotonic();
		for (const first of this.#waiting) {
			if (first.due > now) return this.#arm(first.due - now);
			this.#waiting.delete(first);
			first.ring();
		}
	};
}
