/** Timers of one length: those that nearly never ring cost a place in a list each, and one timer for all of them. */
import type { Clock } from './clock.ts';

/**
 * A place in the list, which is a ring of them. By hand and emptied once it is over: V8 keeps what the tables held that a Set has outgrown until the
 * old generation is looked through, and who waits here holds a whole request.
 */
class Waiting implements Disposable {
	readonly due: number;
	ring: (() => void) | undefined;
	before: Waiting = this;
	after: Waiting = this;

	constructor(due: number, ring?: () => void) {
		this.due = due;
		this.ring = ring;
	}

	/** To the end of the list. */
	join(list: Waiting): void {
		this.after = list;
		this.before = list.before;
		this.before.after = this;
		list.before = this;
	}

	[Symbol.dispose](): void {
		this.before.after = this.after;
		this.after.before = this.before;
		this.before = this.after = this;
		this.ring = undefined;
	}
}

export class EqualTimers {
	readonly #clock: Clock;
	readonly #ms: number;
	/** Before the first and after the last, which is the order in which they ring. */
	readonly #list = new Waiting(Infinity);
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
		for (let first; (first = this.#list.after) !== this.#list; ) {
			if (first.due > now) return this.#arm(first.due - now);
			const { ring } = first;
			first[Symbol.dispose]();
			ring?.();
		}
	};
}
