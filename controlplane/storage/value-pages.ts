/**
 * Bytes of values, one after the other in pages: a buffer of its own for each value would cost more than its bytes in places and in holes. Pages
 * fill in memory; past a budget the oldest lie in a file. A page lives as long as a version points to it, so what a reader holds stays readable.
 */
import type { Place, ValueFile } from './value-file.ts';

const PAGE_BYTES = 256 * 1024;
/** A larger value is a page of its own, the very bytes that came. */
const OWN_PAGE_BYTES = PAGE_BYTES / 8;
/** Pages may hold as much again as what is still needed of them, and this; then the thin ones are moved together. */
const SLACK_BYTES = 4 * 1024 * 1024;
const MOST_MOVED = 8;

export class Page {
	/** What memory holds of it; undefined once it lies in the file. */
	bytes: Buffer | undefined;
	#moved: { readonly file: ValueFile; readonly place: Place } | undefined;
	/** Of its bytes, those of versions that the store still has. */
	live = 0;
	filled = 0;
	/** It counts as memory's. */
	counted = false;

	constructor(bytes: Buffer) {
		this.bytes = bytes;
	}

	read(at: number, length: number): Buffer {
		if (this.bytes !== undefined) return this.bytes.subarray(at, at + length);
		const { file, place } = this.#moved as { file: ValueFile; place: Place };
		return file.read(place, at, length);
	}

	moved(file: ValueFile, place: Place): void {
		this.#moved = { file, place };
		this.bytes = undefined;
	}
}

export interface ValuePagesOptions {
	/** Where pages go that have no room in memory; all stay there unless told. */
	readonly file?: ValueFile | undefined;
	readonly memoryBytes?: number;
}

/** So much stays in memory: a file is read in microseconds where the system has it cached, memory in none. */
const MEMORY_BYTES = 40 * 1024 * 1024;

export class ValuePages {
	readonly #file: ValueFile | undefined;
	readonly #memoryBytes: number;
	#filling = new Page(Buffer.alloc(0));
	/** Full pages in memory, oldest first, and the bytes of those that are not being written. */
	#inMemory: Page[] = [];
	#inMemoryBytes = 0;
	/** Bytes of all full pages that anything is needed of, and what is needed of them. */
	#held = 0;
	#live = 0;

	constructor({ file, memoryBytes = MEMORY_BYTES }: ValuePagesOptions = {}) {
		this.#file = file;
		this.#memoryBytes = memoryBytes;
	}

	/** The page that has them now, at `page.filled - bytes.length`. */
	add(bytes: Uint8Array): Page {
		const { length } = bytes;
		this.#live += length;
		if (length > OWN_PAGE_BYTES) {
			const page = new Page(Buffer.from(bytes.buffer, bytes.byteOffset, length));
			page.live = page.filled = length;
			this.#closed(page);
			return page;
		}
		let page = this.#filling;
		if (page.filled + length > (page.bytes as Buffer).length) {
			if (page.live > 0) this.#closed(page);
			page = this.#filling = new Page(Buffer.allocUnsafeSlow(PAGE_BYTES));
		}
		(page.bytes as Buffer).set(bytes, page.filled);
		page.filled += length;
		page.live += length;
		return page;
	}

	/** So much of the page is needed no more. */
	drop(page: Page, length: number): void {
		this.#live -= length;
		page.live -= length;
		if (page.live > 0 || page === this.#filling) return;
		this.#held -= page.filled;
		this.#uncount(page);
	}

	/** Whether more than half of a full page is needed by nobody. */
	isThin(page: Page): boolean {
		return page !== this.#filling && page.live * 2 < page.filled;
	}

	/** Thin pages hold more than they are worth. */
	get wasteful(): boolean {
		return this.#held > this.#live * 2 + SLACK_BYTES;
	}

	/** What memory and file hold, bytes. */
	get held(): { readonly memory: number; readonly all: number } {
		return { memory: this.#inMemoryBytes, all: this.#held };
	}

	/** What lies in the file cannot be read any more. */
	async close(): Promise<void> {
		await this.#file?.close();
	}

	#closed(page: Page): void {
		this.#held += page.filled;
		this.#keep(page);
		if (this.#file !== undefined) this.#relieve(this.#file);
	}

	#keep(page: Page): void {
		page.counted = true;
		this.#inMemoryBytes += page.filled;
		this.#inMemory.push(page);
	}

	#uncount(page: Page): void {
		if (page.counted) this.#inMemoryBytes -= page.filled;
		page.counted = false;
	}

	/** A few at a time: where the file has no room, all would be tried again and again. */
	#relieve(file: ValueFile): void {
		let excess = this.#inMemoryBytes - this.#memoryBytes;
		let gone = 0;
		for (const page of this.#inMemory) {
			if (gone === MOST_MOVED || (page.live > 0 && excess <= 0)) break;
			gone++;
			if (page.live > 0) excess -= page.filled;
		}
		for (const page of this.#inMemory.splice(0, gone)) if (page.live > 0) this.#write(file, page);
	}

	/** Its bytes stay readable in memory until the file has them; where there is no room, they stay. */
	#write(file: ValueFile, page: Page): void {
		this.#uncount(page);
		file.write(
			page,
			(page.bytes as Buffer).subarray(0, page.filled),
			(place) => page.moved(file, place),
			() => {
				if (page.live > 0) this.#keep(page);
			},
		);
	}
}
