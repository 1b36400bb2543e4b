/** A Clock whose time moves only when a test moves it: timers fire in order of their due time. */
import type { Clock } from './clock.ts';
import { sleepOn } from './sleep.ts';

interface Timer {
	readonly due: number;
	readonly order: number;
	readonly fire: () => void;
}

export class VirtualClock implements Clock {
	#now: number;
	readonly #start: number;
	#order = 0;
	#seed: number;
	#timers = new Set<Timer>();
	readonly #settle: () => Promise<void>;

	/**
	 * Starts at `start` (ms since the epoch); `seed` fixes randomness.
	 * @param settled resolves when nothing is left to do before time moves; by default once no file is at work and a few rounds of the event loop are over
	 */
	constructor(start = Date.UTC(2026, 0, 1), seed = 1, settled: () => Promise<void> = idle) {
		this.#now = start;
		this.#start = start;
		this.#seed = seed;
		this.#settle = settled;
	}

	now(): number {
		return this.#now;
	}
	monotonic(): number {
		return this.#now - this.#start;
	}
	/** The mulberry32 generator: small, and the same sequence for the same seed. */
	random(): number {
		this.#seed = (this.#seed + 0x6d2b79f5) | 0;
		let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	}
	uuid(): string {
		const hex = Array.from({ length: 32 }, () => Math.floor(this.random() * 16).toString(16)).join('');
		return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
	}

	/** How many timers are armed; a test asserts 0 to show that nothing leaks. */
	get pending(): number {
		return this.#timers.size;
	}

	sleep(ms: number, signal?: AbortSignal): Promise<void> {
		return sleepOn((fn) => this.after(ms, fn), signal);
	}

	after(ms: number, fn: () => void): Disposable {
		const timer: Timer = { due: this.#now + Math.max(0, ms), order: this.#order++, fire: fn };
		this.#timers.add(timer);
		return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
	}

	/** Moves time by `ms`, firing what falls due in order and letting promises settle after each. */
	async advance(ms: number): Promise<void> {
		const until = this.#now + ms;
		await this.#settle();
		for (;;) {
			const next = this.#next(until);
			if (next === undefined) break;
			this.#timers.delete(next);
			this.#now = Math.max(this.#now, next.due);
			next.fire();
			await this.#settle();
		}
		this.#now = until;
	}

	#next(until: number): Timer | undefined {
		let best: Timer | undefined;
		for (const t of this.#timers) {
			if (t.due > until) continue;
			if (best === undefined || t.due < best.due || (t.due === best.due && t.order < best.order)) best = t;
		}
		return best;
	}
}

/** Names that Node.js gives to file operations under way. */
const BUSY = /^(FSReq|CloseReq)/;

/** Lets everything run that is ready to: microtasks and immediates, so many rounds after the last in which a file was being read or written. */
export async function idle(rounds = 4): Promise<void> {
	for (let quiet = 0; quiet < rounds; ) {
		await new Promise((resolve) => setImmediate(resolve));
		quiet = process.getActiveResourcesInfo().some((name) => BUSY.test(name)) ? 0 : quiet + 1;
	}
}
