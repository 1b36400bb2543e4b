/**
 * Overwriting takes long, and a start waits for nothing of it: data that is to be overwritten is passed over while a driver starts, and gone through beside
 * its calls, with its volume or snapshot locked: a repeated
 * delete is told ABORTED until it is true.
 */
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Locks } from '../locks.ts';
import { discardData, isErased, type Discarded } from './discard.ts';

/** As folders are called that are filled or removed. */
const UNDER_WAY = /^\.(?:new|gone)-/;

export class DeferredErasure {
	readonly #log: Log;
	readonly #discard: typeof discardData;
	/** Undefined once the start is over. */
	#passedOver: Map<string, Discarded | undefined> | undefined = new Map();
	#waiting: { readonly lock: Disposable; readonly folders: readonly (readonly [dir: string, record: Discarded | undefined])[] }[] = [];

	constructor(log: Log, discard: typeof discardData = discardData) {
		this.#log = log;
		this.#discard = discard;
	}

	/** Removes the data; rejects while the driver starts where that takes an erasure. */
	async discard(dir: string, record: Discarded | undefined): Promise<void> {
		if (this.#passedOver !== undefined && isErased(record)) {
			this.#passedOver.set(dir, record);
			throw new AppError('Unavailable', `"${dir}" is erased once the driver serves`);
		}
		await this.#discard(dir, record);
	}

	/** Whether the folder is there because it waits. */
	waits(dir: string): boolean {
		return this.#passedOver?.has(dir) === true;
	}

	/** From now on nothing is passed over, and what was is locked. Before any call is served. */
	startIsOver(locks: Locks): void {
		const byId = Map.groupBy(this.#passedOver ?? [], ([dir]) => basename(dir).replace(UNDER_WAY, ''));
		this.#passedOver = undefined;
		this.#waiting = [...byId].map(([id, folders]) => ({ lock: locks.take(id), folders }));
	}

	/** One after the other, until the signal; what is left then goes on with the next start. */
	async run(signal: AbortSignal): Promise<void> {
		for (const { lock, folders } of this.#waiting.splice(0)) {
			using _ = lock;
			for (const [dir, record] of folders)
				try {
					await this.#discard(dir, record, signal);
					await rm(dir, { recursive: true, force: true });
				} catch (error) {
					if (!signal.aborted) this.#log.warn('a folder of the pool is left as it is', { dir, reason: messageOf(error) });
				}
		}
	}
}
