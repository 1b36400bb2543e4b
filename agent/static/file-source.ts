/** The manifests of a folder, or of one file: read when the file system tells of a change, and every fileCheckFrequency in any case. */
import { watch, type FSWatcher } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { Pod } from '../../api/gen/types.ts';
import { abortable, linked } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { staticPod } from './static-pod.ts';

export interface FileSourceOptions {
	readonly path: string;
	readonly nodeName: string;
	readonly periodMs: number;
	readonly clock: Clock;
	readonly log: Log;
	/** Told of all pods there are, after each look. */
	readonly found: (pods: readonly Pod[]) => void;
}

/** A change is read this long after it, since writers write more than once. */
const QUIET_MS = 50;

export async function followFiles(options: FileSourceOptions, signal: AbortSignal): Promise<void> {
	const { path, periodMs, clock } = options;
	let told = Promise.withResolvers<void>();
	let watcher: FSWatcher | undefined;
	const known = new Map<string, Known>();
	try {
		while (!signal.aborted) {
			watcher ??= watched(path, () => told.resolve()); // before the look, so that nothing falls between
			watcher?.once('error', () => {
				watcher?.close();
				watcher = undefined;
			});
			options.found(await readManifests(options, known));
			using wait = linked(signal);
			const news = abortable(told.promise, wait.signal).then(() => clock.sleep(QUIET_MS, wait.signal));
			await Promise.race([clock.sleep(periodMs, wait.signal), news]).catch(() => {});
			wait.abort();
			told = Promise.withResolvers();
		}
	} finally {
		watcher?.close();
	}
}

/** What a file held last, so that one that has not changed keeps its pod, and one half written too. */
export interface Known {
	readonly text: string;
	readonly pod: Pod | undefined;
}

/** One bad manifest does not hide the others; it is told of once. */
export async function readManifests(options: FileSourceOptions, known: Map<string, Known>): Promise<readonly Pod[]> {
	const { nodeName, clock, log } = options;
	const pods: Pod[] = [];
	const files = await manifestFiles(options.path);
	for (const file of known.keys()) if (!files.includes(file)) known.delete(file);
	for (const file of files) {
		const before = known.get(file);
		const text = await readFile(file, 'utf8').catch(() => undefined);
		if (text === undefined) continue;
		if (text !== before?.text) known.set(file, { text, pod: readPod(file, text) });
		const pod = known.get(file)?.pod;
		if (pod !== undefined) pods.push(pod);
	}
	return pods;

	function readPod(file: string, text: string): Pod | undefined {
		try {
			return staticPod(parse(text), { source: 'file', place: file, nodeName, now: clock.now() });
		} catch (error) {
			log.error('cannot read the manifest of a static pod', { file, reason: messageOf(error) });
			return undefined;
		}
	}
}

/** Files whose name begins with a dot are no manifests. */
async function manifestFiles(path: string): Promise<readonly string[]> {
	const info = await stat(path).catch(() => undefined);
	if (info === undefined) return [];
	if (!info.isDirectory()) return [path];
	const names = (await readdir(path).catch(() => [])).filter((name) => !name.startsWith('.')).toSorted();
	const files = await Promise.all(names.map(async (name) => ((await stat(join(path, name)).catch(() => undefined))?.isFile() ? name : '')));
	return files.filter((name) => name !== '').map((name) => join(path, name));
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
