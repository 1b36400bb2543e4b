/** Which node ports are taken, as upstream keeps it: a RangeAllocation whose data is a big-endian integer, bit i for the i-th port. Pure. */

export class PortBitmap {
	readonly #first: number;
	readonly #last: number;
	readonly #taken: Set<number>;

	constructor([first, last]: readonly [number, number], taken: Iterable<number> = []) {
		this.#first = first;
		this.#last = last;
		this.#taken = new Set([...taken].filter((port) => this.contains(port)));
	}

	/** From the data of a RangeAllocation, base64. */
	static read(range: readonly [number, number], data: string): PortBitmap {
		const bytes = Buffer.from(data, 'base64').reverse();
		const taken: number[] = [];
		for (const [i, byte] of bytes.entries()) for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) taken.push(range[0] + i * 8 + bit);
		return new PortBitmap(range, taken);
	}

	/** "30000-32767" */
	get range(): string {
		return `${this.#first}-${this.#last}`;
	}

	/** Those that are taken, in order. */
	get ports(): readonly number[] {
		return [...this.#taken].toSorted((a, b) => a - b);
	}

	get data(): string {
		const highest = Math.max(-1, ...this.#taken) - this.#first;
		const bytes = Buffer.alloc(highest < 0 ? 0 : Math.floor(highest / 8) + 1);
		for (const port of this.#taken) {
			const offset = port - this.#first;
			const at = bytes.length - 1 - Math.floor(offset / 8);
			bytes[at] = (bytes[at] as number) | (1 << (offset % 8));
		}
		return bytes.toString('base64');
	}

	contains(port: number): boolean {
		return port >= this.#first && port <= this.#last;
	}
	has(port: number): boolean {
		return this.#taken.has(port);
	}
	/** One outside of the range has no place here. */
	take(port: number): void {
		if (this.contains(port)) this.#taken.add(port);
	}
	release(port: number): void {
		this.#taken.delete(port);
	}

	/** The upper part of the range first, as the lower is kept for those who choose by themselves (upstream: min(max(16, size/32), 128), none of 16 or fewer). */
	free(random: number): number | undefined {
		const size = this.#last - this.#first + 1;
		const kept = size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128);
		const dynamic = size - kept;
		const start = Math.floor(random * dynamic);
		for (let i = 0; i < size; i++) {
			const port = this.#first + (i < dynamic ? kept + ((start + i) % dynamic) : i - dynamic);
			if (!this.#taken.has(port)) return port;
		}
		return undefined;
	}
}
