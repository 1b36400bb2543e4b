/** Ends of containers that a full look found and the event stream did not tell of. Pure, but for what it remembers. */
import type { PodStates } from '../runtime/runtime.ts';

export class MissedEnds {
	#running = new Set<string>();
	#told = new Set<string>();

	/** The stream told of an end. */
	heard(containerId: string): void {
		this.#told.add(containerId);
	}

	/** The pods of which an end was missed since the look before. */
	look(pods: readonly PodStates[]): readonly string[] {
		const missed = pods
			.filter((pod) => pod.containers.some((c) => c.state === 'exited' && this.#running.has(c.id) && !this.#told.has(c.id)))
			.map((pod) => pod.uid);
		this.#running = new Set(pods.flatMap((pod) => pod.containers.filter((c) => c.state === 'running').map((c) => c.id)));
		this.#told = new Set();
		return missed;
	}
}
