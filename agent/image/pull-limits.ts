/** How many images are pulled at once, and how often a pull may begin: one after the other unless configured, in the order they came. */
import { AtMost } from '../../base/at-most.ts';
import { AppError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';

export interface PullSettings {
	/** Pulls a second on average; 0 is any number. */
	readonly qps: number;
	readonly burst: number;
	/** At once; Infinity is any number. */
	readonly atOnce: number;
}

export class PullLimits {
	readonly #clock: Clock;
	readonly #settings: PullSettings;
	readonly #atOnce: AtMost;
	#tokens: number;
	#filledAt: number;

	constructor(settings: PullSettings, clock: Clock) {
		this.#settings = settings;
		this.#clock = clock;
		this.#atOnce = new AtMost(settings.atOnce);
		this.#tokens = settings.burst;
		this.#filledAt = clock.monotonic();
	}

	/** AppError ResourceExhausted where too many began of late (upstream's words). @param began called when it is its turn */
	async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		if (!this.#take()) throw new AppError('ResourceExhausted', 'pull QPS exceeded');
		return this.#atOnce.run(signal, work);
	}

	#take(): boolean {
		const { qps, burst } = this.#settings;
		if (qps <= 0) return true;
		const now = this.#clock.monotonic();
		this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * qps);
		this.#filledAt = now;
		if (this.#tokens < 1) return false;
		this.#tokens--;
		return true;
	}
}
