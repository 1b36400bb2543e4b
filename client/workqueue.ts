/** A queue of keys to look at: no key twice at once, none lost, failures retried with back-off. */
import { KeyedBackoff, type BackoffPolicy } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Registry } from '../base/metrics.ts';
import type { Key } from '../api/resource.ts';
import { workQueueMetrics, type WorkQueueMetrics } from './workqueue-metrics.ts';

/** Look at the key again after this long, without counting as a failure. */
export interface Again {
	readonly afterMs: number;
}

export interface WorkQueue<K extends string = Key> {
	/** Keys ready to be taken. */
	readonly length: number;
	/** Queues a key once, however often it is added. One that is being worked on comes again afterwards. */
	add(key: K): void;
	/** Adds the key after `ms`; of several waits for one key the earliest counts. */
	addAfter(key: K, ms: number): void;
	/**
	 * Hands keys to `handle`, up to `workers` at once and never one key twice at a time, until the signal aborts and the handlers under way are done.
	 * A handler that throws is retried with back-off; one that succeeds starts its back-off afresh.
	 */
	run(workers: number, handle: (key: K, signal: AbortSignal) => Promise<Again | void>, signal: AbortSignal): Promise<void>;
}

export interface WorkQueueOptions<K extends string = Key> {
	/** The label of its metrics. */
	readonly name: string;
	readonly clock: Clock;
	readonly metrics?: Registry;
	/** client-go's 5 ms to 1000 s unless told. */
	readonly backoff?: BackoffPolicy;
	/** Told of every failure, with the wait before the next try. */
	readonly onError?: (key: K, error: unknown, retryMs: number) => void;
}

/** client-go's DefaultTypedControllerRateLimiter. */
const DEFAULT_BACKOFF: BackoffPolicy = { initialMs: 5, maxMs: 1_000_000 };

export function createWorkQueue<K extends string = Key>(options: WorkQueueOptions<K>): WorkQueue<K> {
	return new KeyQueue(options);
}

class KeyQueue<K extends string> implements WorkQueue<K> {
	readonly #options: WorkQueueOptions<K>;
	readonly #metrics: WorkQueueMetrics | undefined;
	/** Ready keys in order, with the time each was added. */
	readonly #ready = new Map<K, number>();
	readonly #working = new Set<K>();
	/** Added while being worked on. */
	readonly #dirty = new Set<K>();
	readonly #waiting = new Map<K, { readonly due: number; readonly timer: Disposable }>();
	readonly #failures: KeyedBackoff<K>;
	readonly #takers: (() => void)[] = [];

	constructor(options: WorkQueueOptions<K>) {
		this.#options = options;
		this.#failures = new KeyedBackoff(options.backoff ?? DEFAULT_BACKOFF, options.clock);
		this.#metrics = options.metrics === undefined ? undefined : workQueueMetrics(options.metrics, options.name);
	}

	get length(): number {
		return this.#ready.size;
	}

	add(key: K): void {
		if (this.#ready.has(key) || this.#dirty.has(key)) return;
		this.#metrics?.adds.inc();
		if (this.#working.has(key)) this.#dirty.add(key);
		else this.#enqueue(key);
	}

	addAfter(key: K, ms: number): void {
		if (ms <= 0) return this.add(key);
		const due = this.#options.clock.monotonic() + ms;
		const waiting = this.#waiting.get(key);
		if (waiting !== undefined && waiting.due <= due) return;
		waiting?.timer[Symbol.dispose]();
		const timer = this.#options.clock.after(ms, () => {
			this.#waiting.delete(key);
			this.add(key);
		});
		this.#waiting.set(key, { due, timer });
	}

	async run(workers: number, handle: (key: K, signal: AbortSignal) => Promise<Again | void>, signal: AbortSignal): Promise<void> {
		const onAbort = (): void => {
			for (const wake of this.#takers.splice(0)) wake();
		};
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			await Promise.all(Array.from({ length: workers }, () => this.#work(handle, signal)));
		} finally {
			signal.removeEventListener('abort', onAbort);
			for (const { timer } of this.#waiting.values()) timer[Symbol.dispose]();
			this.#waiting.clear();
		}
	}

	async #work(handle: (key: K, signal: AbortSignal) => Promise<Again | void>, signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			const key = this.#take();
			if (key === undefined) {
				await new Promise<void>((resolve) => this.#takers.push(resolve));
				continue;
			}
			const started = this.#options.clock.monotonic();
			this.#metrics?.begin(key, started);
			try {
				const again = await handle(key, signal);
				this.#failures.forget(key);
				if (again !== undefined) this.addAfter(key, again.afterMs);
			} catch (error) {
				if (!signal.aborted) this.#retry(key, error);
			} finally {
				this.#metrics?.end(key, this.#options.clock.monotonic());
				this.#done(key);
			}
		}
	}

	#take(): K | undefined {
		for (const [key, addedAt] of this.#ready) {
			this.#ready.delete(key);
			this.#working.add(key);
			this.#metrics?.depth.set(this.#ready.size);
			this.#metrics?.queueDuration.observe((this.#options.clock.monotonic() - addedAt) / 1000);
			return key;
		}
		return undefined;
	}

	#done(key: K): void {
		this.#working.delete(key);
		if (this.#dirty.delete(key)) this.#enqueue(key);
	}

	#enqueue(key: K): void {
		this.#ready.set(key, this.#options.clock.monotonic());
		this.#metrics?.depth.set(this.#ready.size);
		this.#takers.shift()?.();
	}

	#retry(key: K, error: unknown): void {
		const waitMs = this.#failures.nextMs(key);
		this.#metrics?.retries.inc();
		this.#options.onError?.(key, error, waitMs);
		this.addAfter(key, waitMs);
	}
}
