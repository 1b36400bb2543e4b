/** All watches that are open, so that a server that stops ends them as it ends one whose time is up: clients then watch elsewhere, quietly. */
import type { Clock } from '../../../base/clock.ts';
import type { Turns } from '../../../base/turns.ts';
import { shuttingDown } from '../shutting-down.ts';

export class OpenWatches {
	readonly #ends = new Set<() => void>();
	#closed = false;

	/** To be asked before a watch begins, in the turn in which it joins; StatusError ServiceUnavailable, in the words of upstream's filter, once all of them have ended. */
	admit(): void {
		if (this.#closed) throw shuttingDown();
	}

	/** @param end ends the watch; it must not throw */
	join(end: () => void): void {
		this.#ends.add(end);
	}

	leave(end: () => void): void {
		this.#ends.delete(end);
	}

	/** Resolves once each has been told to end, a few in each turn; none begins from now on. */
	close(turns: Turns): Promise<void> {
		this.#closed = true;
		for (const end of this.#ends) turns.add(end);
		return new Promise((resolve) => turns.add(resolve));
	}

	/**
	 * The same within the grace, spread over it where they are many: those who watched begin anew elsewhere, and not all at once (upstream's
	 * rate: all of them in the grace, at least 200 in a second).
	 */
	async closeWithin(graceMs: number, turns: Turns, clock: Clock): Promise<void> {
		this.#closed = true;
		const perSecond = Math.max(MIN_PER_SECOND, this.#ends.size / (graceMs / 1000));
		const atOnce = Math.ceil((perSecond * TICK_MS) / 1000);
		for (const waiting = [...this.#ends]; waiting.length > 0; ) {
			for (const end of waiting.splice(0, atOnce)) turns.add(end);
			if (waiting.length > 0) await clock.sleep(TICK_MS);
		}
		await new Promise<void>((resolve) => turns.add(resolve));
	}
}

const MIN_PER_SECOND = 200;
const TICK_MS = 50;
