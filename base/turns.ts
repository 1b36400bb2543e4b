/** Long work in short turns: pieces run one after the other until a turn has lasted its time, then the event loop gets its due. */
import type { Clock } from './clock.ts';

/** So long a turn may be: what it has written is sent in the next round of the loop and takes as long again, and requests have turns of their own. */
const TURN_MS = 1;
/** The clock is looked at after so many pieces. */
const PIECES = 8;

export class Turns {
	readonly #clock: Clock;
	#waiting: (() => void)[] = [];
	/** Pieces of `#waiting` before this one have run. */
	#next = 0;
	#planned = false;
	#until = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * Runs the piece once, in the order of the calls: after what the loop is at now and all its microtasks, or in a later turn when there is much.
	 * It must not throw. A piece that may last long looks at `over`, stops there and adds itself again.
	 */
	add(piece: () => void): void {
		this.#waiting.push(piece);
		if (this.#planned) return;
		this.#planned = true;
		process.nextTick(this.#begin);
	}

	/** The turn has lasted its time. */
	get over(): boolean {
		return this.#clock.monotonic() >= this.#until;
	}

	/** A few run at once; before many, what has been written up to now (the answer to the write that all of them are told of) is sent. */
	readonly #begin = (): void => {
		if (this.#waiting.length > PIECES) setImmediate(this.#turn);
		else this.#turn();
	};

	readonly #turn = (): void => {
		this.#until = this.#clock.monotonic() + TURN_MS;
		for (let ran = 1; this.#next < this.#waiting.length; ran++) {
			this.#waiting[this.#next++]?.();
			if (ran % PIECES === 0 && this.over) break;
		}
		if (this.#next < this.#waiting.length) {
			setImmediate(this.#turn);
			return;
		}
		this.#waiting = [];
		this.#next = 0;
		this.#planned = false;
	};
}
