/** A binary heap: the smallest by `less` comes first. */
export class Heap<T> {
	readonly #less: (a: T, b: T) => boolean;
	readonly #items: T[] = [];

	constructor(less: (a: T, b: T) => boolean) {
		this.#less = less;
	}

	get size(): number {
		return this.#items.length;
	}

	push(item: T): void {
		let at = this.#items.push(item) - 1;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (!this.#before(at, parent)) break;
			this.#swap(at, parent);
			at = parent;
		}
	}

	pop(): T | undefined {
		const [first] = this.#items;
		const last = this.#items.pop();
		if (this.#items.length === 0 || last === undefined) return first;
		this.#items[0] = last;
		let at = 0;
		for (;;) {
			const left = 2 * at + 1;
			const right = left + 1;
			let least = at;
			if (left < this.#items.length && this.#before(left, least)) least = left;
			if (right < this.#items.length && this.#before(right, least)) least = right;
			if (least === at) return first;
			this.#swap(at, least);
			at = least;
		}
	}

	#before(a: number, b: number): boolean {
		return this.#less(this.#items[a] as T, this.#items[b] as T);
	}

	#swap(a: number, b: number): void {
		[this.#items[a], this.#items[b]] = [this.#items[b] as T, this.#items[a] as T];
	}
}
