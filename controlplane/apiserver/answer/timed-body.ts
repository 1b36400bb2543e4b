/** A body of which somebody wants to know how long it took to write, and how much of that was the client's time. */
import type { Clock } from '../../../base/clock.ts';
import { PushedBody, type Outlet } from './pushed-body.ts';

export interface WritingTimes {
	/** From its start to its end. */
	readonly totalMs: number;
	/** Of which pieces were handed over, or waited until there was room for more. */
	readonly waitedMs: number;
}

export class TimedBody extends PushedBody {
	readonly #body: PushedBody;
	readonly #clock: Clock;
	readonly #told: (times: WritingTimes) => void;
	#startedAt = 0;
	#waitedMs = 0;
	/** Since when there has been no room. */
	#fullAt: number | undefined;

	/** @param told once, when all is written; not of a body that nobody takes to its end */
	constructor(body: PushedBody, clock: Clock, told: (times: WritingTimes) => void) {
		super();
		this.#body = body;
		this.#clock = clock;
		this.#told = told;
	}

	start(outlet: Outlet): void {
		const clock = this.#clock;
		this.#startedAt = clock.monotonic();
		this.#body.start({
			...(outlet.returns === undefined ? {} : { returns: outlet.returns }),
			...(outlet.connection === undefined ? {} : { connection: outlet.connection }),
			write: (bytes, sizes) => {
				const began = clock.monotonic();
				const more = outlet.write(bytes, sizes);
				if (more) this.#waitedMs += clock.monotonic() - began;
				else this.#fullAt = began;
				return more;
			},
			end: (error) => {
				this.#goesOn();
				this.#told({ totalMs: clock.monotonic() - this.#startedAt, waitedMs: this.#waitedMs });
				outlet.end(error);
			},
		});
	}

	resume(): void {
		this.#goesOn();
		this.#body.resume();
	}

	close(): void {
		this.#body.close();
	}

	override get sentBytes(): number | undefined {
		return this.#body.sentBytes;
	}

	#goesOn(): void {
		if (this.#fullAt === undefined) return;
		this.#waitedMs += this.#clock.monotonic() - this.#fullAt;
		this.#fullAt = undefined;
	}
}
