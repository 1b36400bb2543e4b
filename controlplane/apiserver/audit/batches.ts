/** Holds audit events and sends them on in batches: when enough wait or enough time has passed, and not too many batches a second. */
import { aborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { AuditEvent } from './event.ts';

export interface BatchOptions {
	/** Events held at most; what comes on top is lost. */
	readonly bufferSize: number;
	readonly maxSize: number;
	readonly maxWaitMs: number;
	/** Batches a second, and so many at once after a pause; absent: no limit. */
	readonly throttle?: { readonly qps: number; readonly burst: number } | undefined;
	/** A batch is sent once the last one has arrived; absent: whenever there is one. */
	readonly oneByOne?: boolean;
}

export class Batches {
	readonly #options: BatchOptions;
	readonly #clock: Clock;
	readonly #send: (events: readonly AuditEvent[]) => Promise<void>;
	readonly #held: AuditEvent[] = [];
	readonly #sending = new Set<Promise<void>>();
	readonly #stop = new AbortController();
	readonly #running: Promise<void>;
	#full = Promise.withResolvers<void>();

	/** @param send sends a batch; it deals with its errors itself */
	constructor(options: BatchOptions, clock: Clock, send: (events: readonly AuditEvent[]) => Promise<void>) {
		this.#options = options;
		this.#clock = clock;
		this.#send = send;
		this.#running = this.#run();
	}

	/** Why it is lost, in upstream's words; undefined: it is held. */
	take(event: AuditEvent): string | undefined {
		if (this.#stop.signal.aborted) return 'audit backend shut down';
		if (this.#held.length >= this.#options.bufferSize) return 'audit buffer queue blocked';
		this.#held.push(event);
		if (this.#held.length === 1 || this.#held.length >= this.#options.maxSize) this.#full.resolve();
		return undefined;
	}

	async close(): Promise<void> {
		this.#stop.abort();
		this.#full.resolve();
		await this.#running;
		while (this.#held.length > 0) await this.#sendOne();
		await Promise.all(this.#sending);
	}

	async #run(): Promise<void> {
		const { signal } = this.#stop;
		const { maxSize, maxWaitMs, throttle } = this.#options;
		let tokens = throttle?.burst ?? 0;
		let filledAt = this.#clock.monotonic();
		while (!signal.aborted) {
			await this.#full.promise;
			this.#full = Promise.withResolvers();
			if (this.#held.length < maxSize && !signal.aborted) {
				using _timer = this.#clock.after(maxWaitMs, () => this.#full.resolve());
				// Woken by the timer, by a batch that is full, or at the end.
				await this.#full.promise;
				this.#full = Promise.withResolvers();
			}
			if (throttle !== undefined && !signal.aborted) {
				const now = this.#clock.monotonic();
				tokens = Math.min(throttle.burst, tokens + ((now - filledAt) / 1000) * throttle.qps);
				filledAt = now;
				if (tokens < 1)
					await Promise.race([this.#clock.sleep(((1 - tokens) / throttle.qps) * 1000, signal).catch(() => undefined), aborted(signal)]);
				tokens -= 1;
			}
			if (signal.aborted) return;
			await this.#sendOne();
			if (this.#held.length > 0) this.#full.resolve();
		}
	}

	/** Resolves once the next one may be sent. */
	async #sendOne(): Promise<void> {
		const { maxSize, oneByOne = false } = this.#options;
		const sending = this.#send(this.#held.splice(0, maxSize)).finally(() => this.#sending.delete(sending));
		this.#sending.add(sending);
		if (oneByOne) await sending;
	}
}
