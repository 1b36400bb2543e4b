/** Which fault meets which engine call: chosen by a seed, at a rate that can be turned off. */
import { Seeded } from '../../tools/seeded.ts';

/** What can happen to one request. "lost" ones are done by the engine, but the answer never comes. */
export type Fault = 'refused' | 'refused after' | 'reset' | 'reset after' | 'hang' | 'hang after' | 'slow';

const FAULTS: readonly [Fault, ...Fault[]] = ['refused', 'refused after', 'reset', 'reset after', 'hang', 'hang after', 'slow'];

/** What can happen to one event, or to a stream that is open. */
export type StreamFault = 'cut' | 'late' | 'swapped';

export class FaultPlan {
	readonly #seeded: Seeded;
	/** Share of requests, and of events, that a fault meets. */
	rate: number;
	readonly met: Partial<Record<Fault | StreamFault, number>> = {};

	constructor(seed: number, rate: number) {
		this.#seeded = new Seeded(seed);
		this.rate = rate;
	}

	forRequest(): Fault | undefined {
		return this.#roll() ? this.#count(this.#seeded.pick(FAULTS)) : undefined;
	}

	forEvent(): StreamFault | undefined {
		return this.#roll() ? this.#count(this.#seeded.pick(['cut', 'late', 'swapped'])) : undefined;
	}

	/** After how many bytes an open stream is cut, if it is. */
	forStream(): number | undefined {
		if (!this.#roll()) return undefined;
		this.#count('cut');
		return this.#seeded.between(1, 400);
	}

	/** How long something slow takes. */
	delayMs(): number {
		return this.#seeded.between(5, 300);
	}

	#roll(): boolean {
		return this.#seeded.random() < this.rate;
	}

	#count<F extends Fault | StreamFault>(fault: F): F {
		this.met[fault] = (this.met[fault] ?? 0) + 1;
		return fault;
	}
}
