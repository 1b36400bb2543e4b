/** Says when nothing came for a while: one timer for a stream's whole life, not one for each event. */
import type { Clock } from '../../../base/clock.ts';

export class IdleTicks implements Disposable {
	readonly #clock: Clock;
	readonly #ms: number;
	readonly #tick: () => void;
	#since: number;
	#timer: Disposable | undefined;

	/** Ticks after so long without `touch`, and again after as long without a tick. */
	constructor(clock: Clock, ms: number, tick: () => void) {
		this.#clock = clock;
		this.#ms = ms;
		this.#tick = tick;
		this.#since = clock.monotonic();
		this.#arm(ms);
	}

	/** Something came. */
	touch(): void {
		this.#since = this.#clock.monotonic();
	}

	#arm(ms: number): void {
		this.#timer = this.#clock.after(ms, () => {
			const left = this.#since + this.#ms - this.#clock.monotonic();
			if (left > 0) return this.#arm(left);
			this.touch();
			this.#arm(this.#ms);
			this.#tick();
		});
	}

	[Symbol.dispose](): void {
		this.#timer?.[Symbol.dispose]();
	}
}
