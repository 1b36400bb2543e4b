/** The one source of time and chance. Nothing outside base/ reads the wall clock, sets a timer or rolls dice by itself. */
import { uuid } from './uuid.ts';
import { sleepOn } from './sleep.ts';

export interface Clock {
	/** Wall time in ms since the epoch. */
	now(): number;
	/** Milliseconds that never go backwards; only differences mean anything. */
	monotonic(): number;
	/** Resolves after `ms`, or rejects with the signal's reason. The timer keeps the process alive. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Calls `fn` once after `ms`; dispose cancels. The timer does not keep the process alive. */
	after(ms: number, fn: () => void): Disposable;
	/** Uniform in [0, 1). */
	random(): number;
	/** A version 4 UUID. */
	uuid(): string;
}

/** setTimeout takes at most 2^31-1 ms; longer waits are split. */
const MAX_TIMER_MS = 2 ** 31 - 1;

class RealClock implements Clock {
	now(): number {
		return Date.now();
	}
	monotonic(): number {
		return performance.now();
	}
	random(): number {
		return Math.random();
	}
	uuid(): string {
		return uuid();
	}

	sleep(ms: number, signal?: AbortSignal): Promise<void> {
		return sleepOn((fn) => this.#timer(ms, true, fn), signal);
	}

	after(ms: number, fn: () => void): Disposable {
		return this.#timer(ms, false, fn);
	}

	#timer(ms: number, ref: boolean, fn: () => void): Disposable {
		return ms > MAX_TIMER_MS ? this.#longTimer(ms, ref, fn) : shortTimer(ms, ref, fn);
	}

	#longTimer(ms: number, ref: boolean, fn: () => void): Disposable {
		const due = this.monotonic() + ms;
		let handle: NodeJS.Timeout;
		const arm = (): void => {
			const left = due - this.monotonic();
			handle = setTimeout(left > MAX_TIMER_MS ? arm : fn, Math.max(0, Math.min(left, MAX_TIMER_MS)));
			if (!ref) handle.unref();
		};
		arm();
		return { [Symbol.dispose]: () => clearTimeout(handle) };
	}
}

/** Every request sets one, and few of them ring. */
function shortTimer(ms: number, ref: boolean, fn: () => void): Disposable {
	const handle = setTimeout(fn, Math.max(0, ms));
	if (!ref) handle.unref();
	return { [Symbol.dispose]: () => clearTimeout(handle) };
}

/** The real clock of this process. */
export const realClock: Clock = new RealClock();
