/** What became of the attachments asked for here, for the events of their pods: each success once, each failure as often as the driver tries. */
import type { VolumeAttachment } from '../../../api/gen/types.ts';
import type { Clock } from '../../../base/clock.ts';

/** Upstream's csiTimeout. */
const TIMEOUT_MS = 2 * 60_000;

export type News = { readonly type: 'attached' } | { readonly type: 'failed'; readonly why: string } | { readonly type: 'timedOut' };

export class Progress {
	readonly #clock: Clock;
	/** Since when each is waited for, and the failure last told of. */
	readonly #waiting = new Map<string, { since: number; told: string }>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	asked(name: string): void {
		this.#waiting.set(name, { since: this.#clock.monotonic(), told: '' });
	}

	forget(name: string): void {
		this.#waiting.delete(name);
	}

	/** What is new about it; attachments that were there before this controller are none of its news. */
	look({ metadata, status }: VolumeAttachment): { readonly news?: News; readonly afterMs?: number } {
		const name = metadata.name ?? '';
		const waiting = this.#waiting.get(name);
		if (waiting === undefined) return {};
		if (status?.attached === true) {
			this.#waiting.delete(name);
			return { news: { type: 'attached' } };
		}
		const error = status?.attachError;
		const failure = error === undefined ? '' : `${error.time}${error.message}`;
		const isNew = failure !== '' && failure !== waiting.told;
		const leftMs = waiting.since + TIMEOUT_MS - this.#clock.monotonic();
		if (isNew || leftMs <= 0) waiting.since = this.#clock.monotonic();
		waiting.told = failure;
		if (isNew) return { news: { type: 'failed', why: error?.message ?? '' }, afterMs: TIMEOUT_MS };
		return leftMs > 0 ? { afterMs: leftMs } : { news: { type: 'timedOut' }, afterMs: TIMEOUT_MS };
	}
}
