/** Container events to whoever listens. An event only says "look again": no history is kept. */
import type { ContainerEventType } from './proto.ts';

export interface HubEvent {
	readonly containerId: string;
	readonly sandboxId: string;
	readonly type: ContainerEventType;
	readonly atNanos: bigint;
}

type Listener = (event: HubEvent) => void;

export class EventHub {
	readonly #listeners = new Set<Listener>();

	emit(event: HubEvent): void {
		for (const listener of this.#listeners) listener(event);
	}

	/** Calls `listener` for each event from now on. */
	subscribe(listener: Listener): Disposable {
		this.#listeners.add(listener);
		return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
	}
}
