/** Of a level's queues: where in virtual time the last request started, where the queues stood then, and how often there was no room for one. */
import { GUESSED_MS, type Queue } from './turn.ts';

/** In ms of virtual time. */
export interface Bounds {
	min: number;
	max: number;
}

export class Dispatches {
	count = 0;
	/** When the last one was, and where its request starts. */
	at = 0;
	start = 0;
	/** Where the oldest of each queue would start. */
	readonly next: Bounds = { min: 0, max: 0 };
	/** The same without what runs of it. */
	readonly discounted: Bounds = { min: 0, max: 0 };
	/** How often seats were free, but too few for the next request: by its schema, until somebody takes the counts away. */
	readonly noRoom = new Map<string, number>();
	readonly #next: Bounds = { min: 0, max: 0 };
	readonly #discounted: Bounds = { min: 0, max: 0 };

	/** Before a queue is chosen. */
	begin(): void {
		for (const bounds of [this.#next, this.#discounted]) {
			bounds.min = Number.POSITIVE_INFINITY;
			bounds.max = Number.NEGATIVE_INFINITY;
		}
	}

	/** One of those to choose from. */
	consider({ nextAt, seats }: Queue): void {
		widen(this.#next, nextAt);
		widen(this.#discounted, nextAt - seats * GUESSED_MS);
	}

	/** It was chosen, and its oldest request runs. */
	take(queue: Queue, now: number): void {
		this.count++;
		this.at = now;
		this.start = queue.nextAt;
		Object.assign(this.next, this.#next);
		Object.assign(this.discounted, this.#discounted);
	}

	/** It was chosen, but there are too few seats. */
	refuse(schema: string): void {
		this.noRoom.set(schema, (this.noRoom.get(schema) ?? 0) + 1);
	}
}

function widen(bounds: Bounds, at: number): void {
	if (at < bounds.min) bounds.min = at;
	if (at > bounds.max) bounds.max = at;
}
