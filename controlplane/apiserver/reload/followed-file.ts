/**
 * A configuration file that is read again when it changes: a good one is taken up, and while it is bad the last good one stays. Looked at when
 * its folder changes and every minute (upstream's filesystem.WatchUntil).
 */
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { ReloadMetrics } from './reload-metrics.ts';

const INTERVAL_MS = 60_000;

/** A file with what it said when the server started. */
export interface ConfigurationFile {
	readonly path: string;
	readonly text: string;
}

interface Deps {
	readonly file: ConfigurationFile;
	/** "authorization" */
	readonly what: string;
	/** Reads and checks the text and gives back what takes it up. Rejects for a text that is wrong. */
	readonly parse: (text: string) => Promise<(signal: AbortSignal) => Promise<void>>;
	/** A wrong text is tried, and told of, whenever the file is looked at, as long as it is there; else once, since it will never be good. */
	readonly insists?: boolean;
	readonly metrics: ReloadMetrics;
	readonly clock: Clock;
	readonly log: Log;
}

export class FollowedFile {
	readonly #deps: Deps;
	/** The text that was taken up or found bad last. */
	#settled: string;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#settled = deps.file.text;
		deps.metrics.taken(deps.file.text);
	}

	/** Until the signal aborts. */
	async run(signal: AbortSignal): Promise<void> {
		const { clock, file, log, what } = this.#deps;
		let changed = Promise.withResolvers<void>();
		// Files of mounted volumes are replaced by way of a link in their folder.
		using _watching = folderWatch(dirname(file.path), () => changed.resolve(), log);
		while (!signal.aborted) {
			await Promise.race([clock.sleep(INTERVAL_MS, signal).catch(() => {}), changed.promise]);
			if (signal.aborted) return;
			changed = Promise.withResolvers<void>();
			await this.check(signal).catch((error: unknown) => log.warn(`cannot take up the ${what} configuration`, { why: messageOf(error) }));
		}
	}

	async check(signal: AbortSignal): Promise<void> {
		const { file, what, parse, insists = false, metrics, log } = this.#deps;
		try {
			const text = await readFile(file.path, 'utf8');
			if (text === this.#settled) return;
			const apply = await parse(text).catch((error: unknown) => {
				if (!insists) this.#settled = text;
				throw error;
			});
			await apply(signal);
			this.#settled = text;
			metrics.reloaded(text);
			log.info(`took up the new ${what} configuration`, { file: file.path });
		} catch (error) {
			metrics.failed();
			log.error(`the ${what} configuration stays as it was`, { file: file.path, why: messageOf(error) });
		}
	}
}

function folderWatch(folder: string, changed: () => void, log: Log): Disposable {
	try {
		const watcher = watch(folder, { persistent: false }, changed);
		watcher.on('error', (error) => log.debug('cannot watch a folder', { folder, why: messageOf(error) }));
		return { [Symbol.dispose]: () => watcher.close() };
	} catch (error) {
		log.debug('cannot watch a folder', { folder, why: messageOf(error) });
		return { [Symbol.dispose]: () => {} };
	}
}
