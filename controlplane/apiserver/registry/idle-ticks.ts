/** Says when nothing came for a while: one timer for a stream's whole life, not one for each event that it waits for. */
import type { Clock } from '../../../base/clock.ts';

export class IdleTicks implements Disposable {
	readonly #clock: Clock;
	readonly #ms: number;
	#since = 0;
	#timer: Disposable | undefined;
	#tick: (() => void) | undefined;

	constructor(clock: Clock, ms: number) {
		this.#clock = clock;
		this.#ms = ms;
	}

	/** The promise's outcome, or 'tick' when that takes longer; the promise may be handed in again then. */
	first<T>(next: Promise<T>): Promise<T | 'tick'> {
		const { promise, resolve, reject } = Promise.withResolvers<T | 'tick'>();
		next.then(resolve, reject);
		this.#since = this.#clock.monotonic();
		this.#tick = () => resolve('tick');
		if (this.#timer === undefined) this.#arm(this.#ms);
		return promise;
	}

	#arm(ms: number): void {
		this.#timer = this.#clock.after(ms, () => {
			this.#timer = undefined;
			const left = this.#since + this.#ms - this.#clock.monotonic();
			if (left > 0) this.#arm(left);
			else this.#tick?.();
		});
	}

	[Symbol.dispose](): void {
		this.#timer?.[Symbol.dispose]();
	}
}
