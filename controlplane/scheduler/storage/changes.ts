/** Lets several wait for the next change of anything that they look at. */
import { abortable } from '../../../base/abort.ts';

export class Changes {
	/** There while somebody waits: pods change all the time. */
	#next: PromiseWithResolvers<void> | undefined;

	happened(): void {
		const next = this.#next;
		this.#next = undefined;
		next?.resolve();
	}

	async next(signal: AbortSignal): Promise<void> {
		this.#next ??= Promise.withResolvers();
		await abortable(this.#next.promise, signal);
	}
}
