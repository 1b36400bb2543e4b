/** Short turns of the event loop: work that its callbacks bring runs at once while the turn is young, and in the order it came in later turns else. */
import type { Clock } from './clock.ts';

/** So long work may be begun in the polling half of a turn, and again in what waited: reading what came and sending what was answered take as long each. */
const TURN_MS = 0.5;
/** After a turn that lasted so long (much was read, garbage was collected) the next one begins nothing: it reads what has come and sends what is answered. */
const LONG_MS = 1.5;
/** Reads, of which a turn begins the most, take 15 µs each. Of all that wait each would have the loop call it in every turn. */
const MOST_BEGUN = 32;

export class TurnLimit {
	readonly #clock: Clock;
	readonly #waiting: (() => void)[] = [];
	/** When this half of the turn began; undefined: nothing has run in it. */
	#began: number | undefined;
	#ends = false;
	/** The turn before was long: this one begins nothing. */
	#rests = false;
	/** So many callbacks wait for the next turn. */
	#armed = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Runs it now or later, once. What it does in microtasks counts, what it awaits does not. It must not throw. */
	run(work: () => void): void {
		if (this.#waiting.length === 0 && this.#isYoung()) return work();
		this.#waiting.push(work);
		this.#arm();
	}

	/** For what waits, but no more than a turn may begin. */
	#arm(): void {
		if (this.#armed >= Math.min(this.#waiting.length, MOST_BEGUN)) return;
		this.#armed++;
		setImmediate(this.#one);
	}

	#isYoung(): boolean {
		const now = this.#clock.monotonic();
		if (this.#began === undefined) {
			this.#began = now;
			this.#endLater();
		}
		return now - this.#began < TURN_MS;
	}

	#endLater(): void {
		if (this.#ends) return;
		this.#ends = true;
		setImmediate(this.#end);
	}

	/** Runs before what was left to wait since: that begins anew, and so does the next turn. */
	readonly #end = (): void => {
		this.#ends = false;
		const wasLong = this.#began !== undefined && this.#clock.monotonic() - this.#began > LONG_MS;
		this.#rests = wasLong && !this.#rests;
		if (this.#rests) this.#endLater();
		else this.#began = undefined;
	};

	/** A callback of its own for each, so that its microtasks have run before the next one is looked at. */
	readonly #one = (): void => {
		this.#armed--;
		if (this.#isYoung()) this.#waiting.shift()?.();
		this.#arm();
	};
}
