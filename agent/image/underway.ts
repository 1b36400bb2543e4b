/** Images on their way to one pod: what a round left coming is waited for by the next one, and ends with the pod. */
import { abortable } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import { InTurn } from '../../base/in-turn.ts';
import type { ImageInfo } from '../runtime/runtime.ts';

export class ImagesUnderway {
	readonly #coming = new Map<string, Promise<ImageInfo>>();
	readonly #turns = new InTurn();
	readonly #over = new AbortController();

	/**
	 * What `work` brings, or what an earlier call for the same brings that has not ended. Those who want one image get it one after the other, as
	 * upstream's kubelet goes through them: who comes after a failure finds it backed off.
	 * @param whose the container or volume
	 * @param signal of this caller alone: the work goes on until stop()
	 */
	bring(whose: string, image: string, work: (signal: AbortSignal) => Promise<ImageInfo>, signal: AbortSignal): Promise<ImageInfo> {
		const key = `${whose} ${image}`;
		let coming = this.#coming.get(key);
		if (coming === undefined) {
			const over = this.#over.signal;
			coming = this.#turns
				.run(image, () => {
					over.throwIfAborted();
					return work(over);
				})
				.finally(() => this.#coming.delete(key));
			this.#coming.set(key, coming);
		}
		return abortable(coming, signal);
	}

	/** Nobody wants them any more. */
	stop(): void {
		this.#over.abort(new AppError('Canceled', 'The pod is ending'));
	}
}
