/**
 * Brings files to the disk a moment after they were written, all of that moment together. `kill -9` takes nothing that was written; a power
 * failure may take what is younger than this. Nobody waits, and many files take the disk hardly longer than one.
 */
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { ignoreErrno } from '../../base/errors.ts';

const SOON_MS = 500;

export class SyncSoon {
	readonly #clock: Clock;
	readonly #waiting = new Set<string>();
	#timer: Disposable | undefined;
	#work: Promise<void> = Promise.resolve();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The file, and its name in its folder. */
	add(path: string): void {
		this.#waiting.add(path);
		this.#timer ??= this.#clock.after(SOON_MS, () => {
			this.now().catch(() => {}); // an error of the disk comes again with the next file
		});
	}

	/** Resolves when all that was added so far is on the disk. */
	now(): Promise<void> {
		this.#timer?.[Symbol.dispose]();
		this.#timer = undefined;
		const paths = [...this.#waiting];
		this.#waiting.clear();
		this.#work = this.#work.catch(() => {}).then(async () => sync([...paths, ...new Set(paths.map(dirname))]));
		return this.#work;
	}
}

/** Files and folders. What is gone meanwhile, by a removal or under another name, is passed over. */
async function sync(paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		const file = await open(path, 'r').catch(ignoreErrno('ENOENT'));
		try {
			await file?.sync();
		} finally {
			await file?.close();
		}
	}
}
