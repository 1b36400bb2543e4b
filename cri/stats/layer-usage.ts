/** What a container wrote into its own layer: found by walking it, in the background, when somebody asks and the last answer is old. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';

export interface LayerSize {
	readonly usedBytes: bigint;
	readonly inodes: bigint;
}

/** An answer is good for this long, or for so many times what the walk took. */
const GOOD_MS = 10_000;
const GOOD_FACTOR = 20;

interface Known {
	size: LayerSize;
	until: number;
	walking: boolean;
}

export class LayerUsage {
	readonly #clock: Clock;
	readonly #known = new Map<string, Known>();
	/** One walk after the other: a list of a hundred containers must not be a hundred walks at once. */
	#queue: Promise<void> = Promise.resolve();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The last size that was found, zero before the first walk has ended. */
	size(id: string, dir: string | undefined): LayerSize {
		const now = this.#clock.monotonic();
		const known = this.#known.get(id) ?? { size: { usedBytes: 0n, inodes: 0n }, until: 0, walking: false };
		this.#known.set(id, known);
		if (dir !== undefined && !known.walking && known.until <= now) this.#refresh(known, dir);
		return known.size;
	}

	/** Resolves once every walk that was begun has ended. */
	settled(): Promise<void> {
		return this.#queue;
	}

	/** Forgets all but these. */
	keep(ids: ReadonlySet<string>): void {
		for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
	}

	#refresh(known: Known, dir: string): void {
		known.walking = true;
		this.#queue = this.#queue.then(async () => {
			const from = this.#clock.monotonic();
			known.size = await walk(dir).catch(() => known.size);
			const now = this.#clock.monotonic();
			known.until = now + Math.max(GOOD_MS, (now - from) * GOOD_FACTOR);
			known.walking = false;
		});
	}
}

/** As du counts: blocks, a file with several names once. What vanishes meanwhile is left out. */
export async function walk(dir: string): Promise<LayerSize> {
	const seen = new Set<number>();
	let usedBytes = 0n;
	const add = async (path: string): Promise<boolean> => {
		const s = await lstat(path).catch(() => undefined);
		if (s === undefined || seen.has(s.ino)) return false;
		seen.add(s.ino);
		usedBytes += BigInt(s.blocks) * 512n;
		return s.isDirectory();
	};
	const waiting = (await add(dir)) ? [dir] : [];
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		const entries = await opendir(next).catch(() => undefined);
		if (entries === undefined) continue;
		for await (const entry of entries) {
			const path = join(next, entry.name);
			if (await add(path)) waiting.push(path);
		}
	}
	return { usedBytes, inodes: BigInt(seen.size) };
}
