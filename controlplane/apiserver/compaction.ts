/** Forgets old revisions: every five minutes unless told, all but those of the last five (upstream's --etcd-compaction-interval). */
import { aborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../storage/store.ts';

const INTERVAL_MS = 300_000;

export class Compaction {
	readonly #store: Store;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #intervalMs: number;

	/** @param intervalMs 0: never */
	constructor(store: Store, clock: Clock, log: Log, intervalMs = INTERVAL_MS) {
		this.#store = store;
		this.#clock = clock;
		this.#log = log;
		this.#intervalMs = intervalMs;
	}

	/** Resolves when the signal aborts. */
	async run(signal: AbortSignal): Promise<void> {
		if (this.#intervalMs === 0) return aborted(signal);
		let before = this.#store.revision();
		while (!signal.aborted) {
			try {
				await this.#clock.sleep(this.#intervalMs, signal);
			} catch {
				return;
			}
			try {
				const now = this.#store.revision();
				await this.#store.compact(before);
				before = now;
			} catch (error) {
				this.#log.error('compaction failed', { why: messageOf(error), error });
			}
		}
	}
}
