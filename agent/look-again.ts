/** Looks at a folder or a file at once, whenever the file system tells of a change, and every period in any case. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { abortable, linked } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';

export interface Looking {
	readonly path: string;
	readonly periodMs: number;
	/** A change is looked at this long after it: writers write more than once. */
	readonly quietMs: number;
	readonly clock: Clock;
}

/** Until the signal aborts; throws what looking throws. */
export async function lookAgain(
	{ path, periodMs, quietMs, clock }: Looking,
	look: () => Promise<void>,
	signal: AbortSignal,
): Promise<void> {
	let told = Promise.withResolvers<void>();
	let watcher: FSWatcher | undefined;
	const begin = (): void => {
		watcher = watched(path, () => told.resolve());
		watcher?.once('error', () => {
			watcher?.close();
			watcher = undefined;
		});
	};
	try {
		while (!signal.aborted) {
			if (watcher === undefined) begin(); // before the look, so that nothing falls between
			await look();
			using wait = linked(signal);
			const news = abortable(told.promise, wait.signal).then(() => clock.sleep(quietMs, wait.signal));
			await Promise.race([clock.sleep(periodMs, wait.signal), news]).catch(() => {});
			wait.abort();
			told = Promise.withResolvers();
		}
	} finally {
		watcher?.close();
	}
}

/** Undefined while there is nothing to watch: the period does it. A single file is watched by its folder, since editors replace files. */
function watched(path: string, changed: () => void): FSWatcher | undefined {
	try {
		return watch(path, { persistent: false }, changed);
	} catch {
		try {
			return watch(dirname(path), { persistent: false }, (_type, name) =>
				name === null || name === basename(path) ? changed() : undefined,
			);
		} catch {
			return undefined;
		}
	}
}
