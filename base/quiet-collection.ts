/**
 * Collects the nursery between requests. V8 does so wherever it is full, mostly in the middle of a request or of what follows from one, and copies what that
 * holds; where nothing is under way little outlives it, and nobody waits.
 */
import { getHeapStatistics } from 'node:v8';

/** Half of the nursery that our processes have: less would collect more often than V8 does, more would leave it to V8. */
const ENOUGH_BYTES = 2 * 2 ** 20;

export interface Nursery {
	/** Bytes of the heap in use. */
	readonly used: () => number;
	readonly collect: () => void;
}

/** Undefined where the process was started without `--expose-gc`. */
function ofProcess(): Nursery | undefined {
	const { gc } = globalThis;
	if (gc === undefined) return undefined;
	return { used: () => getHeapStatistics().used_heap_size, collect: () => gc({ type: 'minor' }) };
}

export class QuietCollection {
	readonly #isQuiet: () => boolean;
	readonly #nursery: Nursery | undefined;
	#isPlanned = false;
	/** Right after the last collection, V8's own included: in use then. */
	#least = Infinity;

	constructor(isQuiet: () => boolean, nursery: Nursery | undefined = ofProcess()) {
		this.#isQuiet = isQuiet;
		this.#nursery = nursery;
	}

	/** Nothing is under way any more. What has been written goes out first; if something came meanwhile, nothing is collected. */
	quiet(): void {
		if (this.#isPlanned || this.#nursery === undefined) return;
		this.#isPlanned = true;
		setImmediate(this.#look, this.#nursery);
	}

	readonly #look = ({ used, collect }: Nursery): void => {
		this.#isPlanned = false;
		if (!this.#isQuiet()) return;
		const now = used();
		this.#least = Math.min(this.#least, now);
		if (now - this.#least < ENOUGH_BYTES) return;
		collect();
		this.#least = used();
	};
}
