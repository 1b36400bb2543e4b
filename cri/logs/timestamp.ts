/** Times of log lines: RFC 3339 with nanoseconds, finer than the clock's milliseconds. */
import type { Clock } from '../../base/clock.ts';

/** A wall clock that is behind by more has been set anew. */
const STEP_MS = 2;

/** Times that do not go back unless the wall clock was set back. */
export class Timestamps {
	readonly #clock: Clock;
	#offset: number;

	constructor(clock: Clock) {
		this.#clock = clock;
		this.#offset = clock.now() - clock.monotonic();
	}

	now(): string {
		const monotonic = this.#clock.monotonic();
		const wall = this.#clock.now();
		const behind = wall - (monotonic + this.#offset);
		// Never behind the clock: whole milliseconds are what has surely passed.
		if (behind > 0 || behind < -STEP_MS) this.#offset = wall - monotonic;
		const ms = monotonic + this.#offset;
		const nanos = Math.floor((ms % 1000) * 1_000_000);
		return `${new Date(ms).toISOString().slice(0, 20)}${String(nanos).padStart(9, '0')}Z`;
	}
}

/** A time of the same form, earlier by so many milliseconds. Pure. */
export function earlier(time: string, byMs: number): string {
	const fraction = /\.(\d+)/.exec(time)?.[1]?.padEnd(9, '0').slice(0, 9) ?? '000000000';
	const shifted = new Date(Date.parse(time) - byMs).toISOString();
	return `${shifted.slice(0, 20)}${shifted.slice(20, 23)}${fraction.slice(3)}Z`;
}
