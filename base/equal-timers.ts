/** Timers of one length: those that nearly never ring cost a place in a list each, and one timer for all of them. */
import type { Clock } from './clock.ts';
import { Place } from './ring.ts';

/** Emptied once it is over: who waits here holds a whole request. */
class Waiting extends Place implements Disposable {
	readonly due: number;
	ring: (() => void) | undefined;

	constructor(due: number, ring: () => void) {
		super();
		this.due = due;
		this.ring = ring;
	}

	[Symbol.dispose](): void {
		this.leave();
		this.ring = undefined;
	}
}

export class EqualTimers {
	readonly #clock: Clock;
	readonly #ms: number;
	/** Before the first and after the last, which is the order in which they ring. */
	readonly #list = new Place();
	#armed = false;

	constructor(clock: Clock, ms: number) {
		this.#clock = clock;
		this.#ms = ms;
	}

	/** As the Clock's, after the one time that is set. */
	after(fn: () => void): Disposable {
		const waiting = new Waiting(this.#clock.monotonic() + this.#ms, fn);
		waiting.join(this.#list);
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
		for (let first; (first = this.#list.after as Waiting) !== this.#list; ) {
			if (first.due > now) return this.#arm(first.due - now);
			const { ring } = first;
			first[Symbol.dispose]();
			ring?.();
		}
	};
}
