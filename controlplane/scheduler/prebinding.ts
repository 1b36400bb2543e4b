/** Pods that have a node and are being prepared for it: a more important one may take it from them without their being deleted (upstream's PodsInPreBind). */
import { linked } from '../../base/abort.ts';
import type { PodInfo } from './pod-info.ts';

/** Its node was taken. */
export class Preempted extends Error {
	/** @param by the plugin */
	constructor(by: string) {
		super(`preempted by ${by}`);
	}
}

export interface Prebinding extends Disposable {
	/** Aborts with the scheduler's, or when somebody takes the node. */
	readonly signal: AbortSignal;
	/** From here on the node is the pod's; throws where it was taken. */
	settle(): void;
}

export class PodsInPreBind {
	readonly #cancels = new Map<string, (why: Preempted) => void>();

	begin({ uid }: PodInfo, parent: AbortSignal): Prebinding {
		const { signal, abort, [Symbol.dispose]: drop } = linked(parent);
		const end = (): void => void this.#cancels.delete(uid);
		this.#cancels.set(uid, abort);
		return {
			signal,
			settle() {
				signal.throwIfAborted();
				end();
			},
			[Symbol.dispose]() {
				end();
				drop();
			},
		};
	}

	/** False: it is not being prepared, or no longer. @param by the plugin */
	preempt({ uid }: PodInfo, by: string): boolean {
		const cancel = this.#cancels.get(uid);
		cancel?.(new Preempted(by));
		return cancel !== undefined;
	}
}
