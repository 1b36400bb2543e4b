/**
 * What a controller asked for and has not yet seen in its informer: until then its view is stale and it must not act on the same key again
 * (upstream's ControllerExpectations). Keys are uids of owners; creations are counted, deletions are named by uid.
 */
import type { Clock } from '../../base/clock.ts';

/** After this long a lost event is assumed and the controller goes on (upstream's ExpectationsTimeout). */
const TIMEOUT_MS = 5 * 60_000;

interface Expected {
	creations: number;
	readonly deletions: Set<string>;
	at: number;
}

export class Expectations {
	readonly #clock: Clock;
	readonly #byKey = new Map<string, Expected>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** True when everything expected was seen, or waited for too long. */
	satisfied(key: string): boolean {
		const e = this.#byKey.get(key);
		return e === undefined || (e.creations <= 0 && e.deletions.size === 0) || this.#clock.monotonic() - e.at > TIMEOUT_MS;
	}

	expectCreations(key: string, count: number): void {
		this.expect(key, count, []);
	}

	expectDeletions(key: string, uids: readonly string[]): void {
		this.expect(key, 0, uids);
	}

	/** Both at once. */
	expect(key: string, creations: number, deletedUids: readonly string[]): void {
		const at = this.#clock.monotonic();
		this.#byKey.delete(key);
		this.#byKey.set(key, { creations, deletions: new Set(deletedUids), at });
		// What was expected of an owner that went meanwhile is never forgotten by anybody; the oldest come first.
		for (const [old, { at: since }] of this.#byKey) {
			if (at - since <= TIMEOUT_MS) break;
			this.#byKey.delete(old);
		}
	}

	/** Seen, or known never to come. */
	creationObserved(key: string, count = 1): void {
		const e = this.#byKey.get(key);
		if (e !== undefined) e.creations -= count;
	}

	deletionObserved(key: string, uid: string): void {
		this.#byKey.get(key)?.deletions.delete(uid);
	}

	forget(key: string): void {
		this.#byKey.delete(key);
	}
}
