/** Lets several wait for the next change of anything that they look at. */
import { abortable } from '../../../base/abort.ts';

export class Changes {
	#next = Promise.withResolvers<void>();

	happened(): void {
		const { resolve } = this.#next;
		this.#next = Promise.withResolvers<void>();
		resolve();
	}

	async next(signal: AbortSignal): Promise<void> {
		await abortable(this.#next.promise, signal);
	}
}
