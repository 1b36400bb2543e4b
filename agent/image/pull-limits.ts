/** How many images are pulled at once, and how often a pull may begin: one after the other unless configured, in the order they came. */
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
	readonly #waiting: (() => void)[] = [];
	#running = 0;
	#tokens: number;
	#filledAt: number;

	constructor(settings: PullSettings, clock: Clock) {
		this.#settings = settings;
		this.#clock = clock;
		this.#tokens = settings.burst;
		this.#filledAt = clock.monotonic();
	}

	/** AppError ResourceExhausted where too many began of late (upstream's words). @param began called when it is its turn */
	async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		if (!this.#take()) throw new AppError('ResourceExhausted', 'pull QPS exceeded');
		await this.#turn(signal);
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.#running--;
			else next();
		}
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

	async #turn(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (this.#running < this.#settings.atOnce) {
			this.#running++;
			return;
		}
		await new Promise<void>((resolve, reject) => {
			const go = (): void => {
				signal.removeEventListener('abort', onAbort);
				resolve();
			};
			const onAbort = (): void => {
				const at = this.#waiting.indexOf(go);
				if (at >= 0) this.#waiting.splice(at, 1);
				reject(signal.reason as Error);
			};
			signal.addEventListener('abort', onAbort, { once: true });
			this.#waiting.push(go);
		});
	}
}
