/**
 * The room that a pool has for new volumes. Images are sparse, so what is promised to volumes and not yet taken by their data is kept free: the pool
 * does not promise more than it has. What is taken is looked at once a second at most.
 */
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { fsStats } from '../../host/filesystem.ts';

const FRESH_MS = 1000;
/** Less than what a journal needs. */
const NO_ROOM_BYTES = 1024 ** 2;

export class PoolSpace {
	readonly #dir: string;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #mayTake: () => readonly (() => number)[];
	#promised: { readonly count: number; readonly bytes: number; readonly atMs: number } | undefined;
	/** For what is being made. */
	#reserved = 0;

	/** `mayTake`: how much each volume and snapshot may still take. */
	constructor(dir: string, clock: Clock, log: Log, mayTake: () => readonly (() => number)[]) {
		this.#dir = dir;
		this.#clock = clock;
		this.#log = log;
		this.#mayTake = mayTake;
	}

	/** So many bytes a new volume may have. */
	async availableBytes(): Promise<number> {
		const { availableBytes } = await fsStats(this.#dir);
		return Math.max(0, availableBytes - this.#promisedBytes() - this.#reserved);
	}

	/** Keeps so much for what is made until it is there. Throws where there is less; callers who shall ask for less are told OutOfRange. */
	async reserve(bytes: number, code: 'ResourceExhausted' | 'OutOfRange' = 'ResourceExhausted'): Promise<Disposable> {
		const free = await this.availableBytes();
		if (bytes > free) throw new AppError(code, `${bytes} bytes are asked for and ${free} are free in the pool`);
		this.#reserved += bytes;
		return {
			[Symbol.dispose]: () => {
				this.#reserved -= bytes;
				this.#promised = undefined;
			},
		};
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

	#promisedBytes(): number {
		const now = this.#clock.monotonic();
		const all = this.#mayTake();
		if (this.#promised?.count === all.length && now - this.#promised.atMs < FRESH_MS) return this.#promised.bytes;
		let bytes = 0;
		for (const mayTake of all) bytes += mayTake();
		this.#promised = { count: all.length, bytes, atMs: now };
		return bytes;
	}
}

/** A disk that is full, as callers are told of it; anything else as it is. */
export function fullOr(error: unknown): unknown {
	const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
	const full = code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device|quota exceeded/i.test(message);
	return full ? new AppError('ResourceExhausted', `The pool is full: ${message}`, { cause: error }) : error;
}
