/** A map that forgets what was used longest ago: of `max` at most it keeps the half used last at least. */
export class Lru<K, V> {
	readonly #half: number;
	// Two halves: a hit in the young one moves nothing, and the old one goes as a whole.
	#young = new Map<K, V>();
	#old = new Map<K, V>();

	constructor(max: number) {
		this.#half = Math.max(1, max >> 1);
	}

	get(key: K): V | undefined {
		const found = this.#young.get(key);
		if (found !== undefined) return found;
		const older = this.#old.get(key);
		if (older !== undefined) this.set(key, older);
		return older;
	}

	set(key: K, value: V): void {
		this.#old.delete(key);
		if (this.#young.size >= this.#half && !this.#young.has(key)) {
			this.#old = this.#young;
			this.#young = new Map();
		}
		this.#young.set(key, value);
	}

	delete(key: K): void {
		this.#young.delete(key);
		this.#old.delete(key);
	}
}
