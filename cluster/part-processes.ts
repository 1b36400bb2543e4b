/** Parts that outlived the process which ran them: ended before anything else starts. */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { endAll, processesWith } from './end-processes.ts';

/** Where a part of its own finds its configuration; also what its process is recognised by. */
export function partConfigPath(dataDir: string, part: string): string {
	return join(dataDir, 'parts', `${part}.json`);
}

/** A part that lost its parent stops by itself; what has not after this long is killed. */
const GRACE_MS = 5000;

/** Resolves once no part of the folder's cluster runs. The caller holds the folder's lock, so none can be a live cluster's. */
export function endPartsLeft(dataDir: string, clock: Clock): Promise<void> {
	return endAll(() => processesWith((words) => isPartOf(words, dataDir)), GRACE_MS, clock);
}

/** Pure. @param words the arguments of a process */
export function isPartOf(words: readonly string[], dataDir: string): boolean {
	const at = words.indexOf('--config');
	return at > 1 && words[at + 1] === partConfigPath(dataDir, words[at - 1] ?? '');
}
