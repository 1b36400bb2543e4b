/** Waiting until something holds that others change: whoever changes it says so, and those who wait look again. */
import { abortable } from './abort.ts';

export class Condition {
	#change = Promise.withResolvers<void>();

	/** What is waited for may hold now. */
	changed(): void {
		this.#change.resolve();
		this.#change = Promise.withResolvers();
	}

	/** Rejects with the signal's reason. */
	async until(holds: () => boolean, signal: AbortSignal): Promise<void> {
		while (!holds()) await abortable(this.#change.promise, signal);
	}
}
