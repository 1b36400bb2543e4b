/**
 * Brings files to the disk a moment after they were written, all of that moment together. `kill -9` takes nothing that was written; a power
 * failure may take what is younger than this. Nobody waits, and many files take the disk hardly longer than one.
 */
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { ignoreErrno } from '../../base/errors.ts';
import { syncPath } from '../../base/files.ts';

const SOON_MS = 2000;

export class SyncSoon {
	readonly #clock: Clock;
	readonly #sync: typeof syncPath;
	readonly #waiting = new Set<string>();
	#timer: Disposable | undefined;
	#work: Promise<void> = Promise.resolve();

	constructor(clock: Clock, sync = syncPath) {
		this.#clock = clock;
		this.#sync = sync;
	}

	/** The file, and its name in its folder. */
	add(path: string): void {
		this.#waiting.add(path);
		this.#timer ??= this.#clock.after(SOON_MS, () => {
			this.now().catch(() => {}); // the records are there all the same; only a power failure could take them
		});
	}

	/** Resolves when all that was added so far is on the disk; what the disk refuses is told once the rest is there. */
	now(): Promise<void> {
		this.#timer?.[Symbol.dispose]();
		this.#timer = undefined;
		const paths = [...this.#waiting];
		this.#waiting.clear();
		this.#work = this.#work.catch(() => {}).then(() => this.#all([...paths, ...new Set(paths.map(dirname))]));
		return this.#work;
	}

	/** Files and folders. What is gone meanwhile, by a removal or under another name, is passed over. */
	async #all(paths: readonly string[]): Promise<void> {
		const failures: unknown[] = [];
		for (const path of paths)
			await this.#sync(path)
				.catch(ignoreErrno('ENOENT'))
				.catch((error: unknown) => failures.push(error));
		if (failures.length > 0) throw failures[0];
	}
}
