/** All watches that are open, so that a server that stops ends them as it ends one whose time is up: clients then watch elsewhere, quietly. */
import { serviceUnavailable, StatusError } from '../../../api/status.ts';
import type { Turns } from '../../../base/turns.ts';

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
}

function shuttingDown(): StatusError {
	const { status } = serviceUnavailable('apiserver is shutting down');
	return new StatusError({ ...status, details: { retryAfterSeconds: 1 } });
}
