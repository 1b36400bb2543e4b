/** When a crashed container may start again: 10 s, doubled up to 300 s or what is configured, forgotten after 600 s without a failure. */

export interface BackoffEntry {
	readonly delayMs: number;
	readonly lastUpdate: number;
}

/** Upstream's crash-loop figures, which image pulls share. */
const INITIAL_MS = 10_000;
const MAX_MS = 300_000;
const FORGET_MS = 600_000;

/** Milliseconds still to wait after the failure at `failedAt`; 0 is go. */
export function remainingMs(entry: BackoffEntry | undefined, failedAt: number, now: number): number {
	if (entry === undefined || failedAt - entry.lastUpdate > FORGET_MS) return 0;
	return Math.max(0, failedAt + entry.delayMs - now);
}

/**
 * The entry after one more try that follows the failure at `failedAt`.
 * @param maxMs crashLoopBackOff.maxContainerRestartPeriod
 */
export function nextEntry(entry: BackoffEntry | undefined, failedAt: number, now: number, maxMs = MAX_MS): BackoffEntry {
	if (entry === undefined || failedAt - entry.lastUpdate > FORGET_MS) return { delayMs: Math.min(maxMs, INITIAL_MS), lastUpdate: now };
	return { delayMs: Math.min(maxMs, entry.delayMs * 2), lastUpdate: now };
}

/** Entries by key; one a pod, so that they go with it. */
export class Backoffs {
	readonly #entries = new Map<string, BackoffEntry>();

	entry(key: string): BackoffEntry | undefined {
		return this.#entries.get(key);
	}

	/** Notes a try that follows the failure at `failedAt`. */
	bump(key: string, failedAt: number, now: number, maxMs?: number): BackoffEntry {
		const entry = nextEntry(this.#entries.get(key), failedAt, now, maxMs);
		this.#entries.set(key, entry);
		return entry;
	}

	clear(key: string): void {
		this.#entries.delete(key);
	}
}

/** A Go-style duration of whole seconds, as messages say it: "10s", "1m20s", "5m0s". */
export function goSeconds(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
