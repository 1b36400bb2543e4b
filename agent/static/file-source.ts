/** The manifests of a folder, or of one file: read when the file system tells of a change, and every fileCheckFrequency in any case. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml } from '../../base/parse-yaml.ts';
import type { Pod } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { lookAgain } from '../look-again.ts';
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
	const known = new Map<string, Known>();
	await lookAgain({ ...options, quietMs: QUIET_MS }, async () => options.found(await readManifests(options, known)), signal);
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
			return staticPod(readYaml(text), { source: 'file', place: file, nodeName, now: clock.now() });
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
