/**
 * The room that a pool has for new volumes. Images are sparse, so what is promised to volumes and not yet taken by their data is kept free: the pool
 * does not promise more than it has. What is taken is looked at once a second at most; what is promised in between is added to what was seen, which is too
 * much where that is written to, given back or never made meanwhile. So nobody is refused by such a sum: all is looked at anew before.
 */
import { statfsSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { fsStats } from '../../host/filesystem.ts';
import type { SnapshotRecord } from '../records/records.ts';
import type { Holding } from './still-to-take.ts';

const FRESH_MS = 1000;
/** Less than what a journal needs. */
const NO_ROOM_BYTES = 1024 ** 2;

/** What the pool has promised to what is there. */
export interface Promised {
	/** Another number of promises is another sum. */
	count(): number;
	/** What may still be taken; with these snapshots too. Looks at all data. */
	bytes(more?: readonly Holding<SnapshotRecord>[]): number;
}

interface Seen {
	readonly count: number;
	readonly promisedBytes: number;
	readonly freeBytes: number;
	readonly atMs: number;
	/** Promised since then. */
	readonly sinceBytes: number;
}

export class PoolSpace {
	readonly #dir: string;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #promised: Promised;
	#seen: Seen | undefined;
	/** For what is being made. */
	#reserved = 0;

	constructor(dir: string, clock: Clock, log: Log, promised: Promised) {
		this.#dir = dir;
		this.#clock = clock;
		this.#log = log;
		this.#promised = promised;
	}

	/** So many bytes a new volume may have. */
	async availableBytes(): Promise<number> {
		const { availableBytes } = await fsStats(this.#dir);
		return this.#freeBytes(availableBytes, 'exactly');
	}

	/** Keeps so much for what is made until it is there. Throws where there is less; callers who shall ask for less are told OutOfRange. */
	async reserve(bytes: number, code: 'ResourceExhausted' | 'OutOfRange' = 'ResourceExhausted'): Promise<Disposable> {
		const { availableBytes } = await fsStats(this.#dir);
		// From here on nobody comes between.
		const atLeast = this.#freeBytes(availableBytes, 'at least');
		const free = bytes > atLeast ? this.#freeBytes(availableBytes, 'exactly') : atLeast;
		if (bytes > free) throw new AppError(code, `${bytes} bytes are asked for and ${free} are free in the pool`);
		this.#reserved += bytes;
		return {
			[Symbol.dispose]: () => {
				this.#reserved -= bytes;
				if (this.#seen !== undefined) this.#seen = { ...this.#seen, sinceBytes: this.#seen.sinceBytes + bytes };
			},
		};
	}

	/** How much more these snapshots would have the pool keep free, by what all data takes now. */
	bytesFor(snapshots: readonly Holding<SnapshotRecord>[]): number {
		return this.#promised.bytes(snapshots) - this.#look().promisedBytes; // what is added later must be so to this
	}

	/** What went wrong, told as a full pool where it has no room: a file system in an image only knows of an input/output error. */
	async told(error: unknown): Promise<unknown> {
		try {
			const { availableBytes } = await fsStats(this.#dir);
			if (availableBytes >= NO_ROOM_BYTES) return error;
			return new AppError('ResourceExhausted', `The pool is full: ${messageOf(error)}`, { cause: error });
		} catch (unknown) {
			this.#log.warn('cannot tell whether the pool is full', { error: messageOf(unknown) });
			return error;
		}
	}

	/**
	 * Neither promised nor reserved. What is written or given back changes what is free and what is promised alike: they are looked at together, and of what
	 * was free before that, after it, and now, the least counts.
	 */
	#freeBytes(nowBytes: number, how: 'exactly' | 'at least'): number {
		const known = this.#seen;
		const stale = known === undefined || this.#clock.monotonic() - known.atMs >= FRESH_MS;
		const another = how === 'exactly' && known !== undefined && (known.sinceBytes > 0 || known.count !== this.#promised.count());
		const { freeBytes, promisedBytes, sinceBytes } = stale || another ? this.#look() : known;
		return Math.max(0, Math.min(nowBytes, freeBytes) - promisedBytes - sinceBytes - this.#reserved);
	}

	#look(): Seen {
		const [count, atMs, before] = [this.#promised.count(), this.#clock.monotonic(), this.#free()];
		const promisedBytes = this.#promised.bytes();
		return (this.#seen = { count, atMs, promisedBytes, freeBytes: Math.min(before, this.#free()), sinceBytes: 0 });
	}

	#free(): number {
		const { bavail, bsize } = statfsSync(this.#dir);
		return bavail * bsize;
	}
}

/** A disk that is full, as callers are told of it; anything else as it is. */
export function fullOr(error: unknown): unknown {
	const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
	const full = code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device|quota exceeded/i.test(message);
	return full ? new AppError('ResourceExhausted', `The pool is full: ${message}`, { cause: error }) : error;
}
