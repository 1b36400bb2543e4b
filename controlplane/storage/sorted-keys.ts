/**
 * A sorted set of keys in chunks: insert and remove move one chunk, and a rank is a sum over chunks. What is added waits until somebody asks for an
 * order: many keys that come in their order find their places for less than as many that come anyhow, since neighbours are looked at one after the other.
 */

/** Few enough that an insertion moves little: what it moves, the collector looks at again. */
const CHUNK = 256;
/** So many wait at most: their turn takes some 0.4 ms (512 took 1 to 2, in the middle of others' turns). */
const MOST_WAITING = 128;

export class SortedKeys {
	/** Never holds an empty chunk. */
	readonly #chunks: string[][] = [];
	/** In no chunk yet, as they came. */
	#waiting: string[] = [];
	#size = 0;

	get size(): number {
		this.#settle();
		return this.#size;
	}

	add(key: string): void {
		this.#waiting.push(key);
		if (this.#waiting.length >= MOST_WAITING) this.#settle();
	}

	#settle(): void {
		if (this.#waiting.length === 0) return;
		const keys = this.#waiting;
		this.#waiting = [];
		// As strings are compared: by their code units.
		if (keys.length > 1) keys.sort();
		let c = 0;
		for (const key of keys) c = this.#insert(key, c);
	}

	/** Whose place is not before chunk `from`; tells its chunk. */
	#insert(key: string, from: number): number {
		const c = this.#chunkFor(key, from);
		const chunk = this.#chunks[c];
		if (chunk === undefined) {
			const last = this.#chunks.at(-1);
			if (last !== undefined && last.length < CHUNK) last.push(key);
			else this.#chunks.push([key]);
			this.#size++;
			return this.#chunks.length - 1;
		}
		const i = lowerBound(chunk, key);
		if (chunk[i] === key) return c;
		chunk.splice(i, 0, key);
		this.#size++;
		if (chunk.length > CHUNK) this.#chunks.splice(c + 1, 0, chunk.splice(chunk.length >> 1));
		return c;
	}

	delete(key: string): boolean {
		this.#settle();
		const c = this.#chunkFor(key);
		const chunk = this.#chunks[c];
		if (chunk === undefined) return false;
		const i = lowerBound(chunk, key);
		if (chunk[i] !== key) return false;
		chunk.splice(i, 1);
		if (chunk.length === 0) this.#chunks.splice(c, 1);
		this.#size--;
		return true;
	}

	/** How many keys sort before `key`. */
	rank(key: string): number {
		this.#settle();
		const c = this.#chunkFor(key);
		let before = 0;
		for (let i = 0; i < c; i++) before += this.#chunks[i]?.length ?? 0;
		const chunk = this.#chunks[c];
		return chunk === undefined ? before : before + lowerBound(chunk, key);
	}

	/** At most `limit` keys from `start` on that sort before `end`: whole chunks at a time, which long lists need. */
	between(start: string, end: string, limit: number): string[] {
		this.#settle();
		const from = this.#chunkFor(start);
		if (!this.#reaches(from, start, end)) return [];
		const parts: string[][] = [];
		let left = limit;
		for (let c = from; c < this.#chunks.length && left > 0; c++) {
			const chunk = this.#chunks[c] as string[];
			const first = c === from ? lowerBound(chunk, start) : 0;
			const last = (chunk.at(-1) as string) < end ? chunk.length : lowerBound(chunk, end);
			parts.push(chunk.slice(first, Math.min(last, first + left)));
			left -= last - first;
			if (last < chunk.length) break;
		}
		return parts.length === 1 ? (parts[0] as string[]) : ([] as string[]).concat(...parts);
	}

	/** Whether any key lies between: most kinds that admission asks about have none, and it asks at every write. */
	#reaches(c: number, start: string, end: string): boolean {
		const chunk = this.#chunks[c];
		return chunk !== undefined && (chunk[lowerBound(chunk, start)] as string) < end;
	}

	/** Keys from `start` on, in order. The set must not change meanwhile. */
	*from(start: string): Generator<string, void> {
		this.#settle();
		let c = this.#chunkFor(start);
		let i = lowerBound(this.#chunks[c] ?? [], start);
		for (; c < this.#chunks.length; c++, i = 0) {
			const chunk = this.#chunks[c] as string[];
			for (; i < chunk.length; i++) yield chunk[i] as string;
		}
	}

	/** The first chunk, of those from `from` on, whose last key is not before `key`; the number of chunks when there is none. */
	#chunkFor(key: string, from = 0): number {
		let [low, high] = [from, this.#chunks.length];
		while (low < high) {
			const mid = (low + high) >> 1;
			if (((this.#chunks[mid] as string[]).at(-1) as string) < key) low = mid + 1;
			else high = mid;
		}
		return low;
	}
}

function lowerBound(keys: readonly string[], key: string): number {
	let [low, high] = [0, keys.length];
	while (low < high) {
		const mid = (low + high) >> 1;
		if ((keys[mid] as string) < key) low = mid + 1;
		else high = mid;
	}
	return low;
}

/** The first key after all keys with the prefix. */
export function endOf(prefix: string): string {
	return `${prefix}\uffff`;
}
