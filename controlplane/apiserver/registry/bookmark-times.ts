/** When a watch tells how far it is: every minute, and shortly before its time is up, whatever came in between (upstream's cacheWatcher). */
import type { Clock } from '../../../base/clock.ts';

const EVERY_MS = 60_000;
const BEFORE_END_MS = 2000;

export class BookmarkTimes implements Disposable {
	readonly #clock: Clock;
	readonly #last: number;
	readonly #tell: () => void;
	#timer: Disposable | undefined;

	constructor(clock: Clock, timeoutMs: number, tell: () => void) {
		this.#clock = clock;
		this.#last = clock.monotonic() + timeoutMs - BEFORE_END_MS;
		this.#tell = tell;
		this.#arm();
	}

	#arm(): void {
		const leftMs = this.#last - this.#clock.monotonic();
		this.#timer = undefined;
		if (leftMs <= 0) return;
		this.#timer = this.#clock.after(Math.min(EVERY_MS, leftMs), () => {
			// A timer may be a little early.
			if (leftMs > EVERY_MS) this.#arm();
			this.#tell();
		});
	}

	[Symbol.dispose](): void {
		this.#timer?.[Symbol.dispose]();
	}
}
