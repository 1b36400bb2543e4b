/** Work that costs the node much: only so many at a time, and one of a kind; who comes beyond that is told to come again. */
import { AppError } from '../../base/errors.ts';

export class Bounded {
	readonly #most: number;
	readonly #what: string;
	readonly #running = new Set<string>();

	constructor(what: string, most: number) {
		this.#what = what;
		this.#most = most;
	}

	/** AppError ResourceExhausted where there is no room. @param key of what may be done once at a time */
	async run<T>(key: string, work: () => Promise<T>): Promise<T> {
		if (this.#running.has(key) || this.#running.size >= this.#most)
			throw new AppError('ResourceExhausted', `Too many requests: ${this.#running.size} ${this.#what} under way, try again later`);
		this.#running.add(key);
		try {
			return await work();
		} finally {
			this.#running.delete(key);
		}
	}
}
