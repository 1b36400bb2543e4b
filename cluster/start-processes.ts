/** Processes that start a cluster and do not have its folder yet: what is taken down meanwhile would come back by them. */
import { basename } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { endAll, processesWith } from './end-processes.ts';

/** Resolves once nobody is about to start the folder's cluster. @param graceMs how long one may take to stop */
export function endStarts(dataDir: string, graceMs: number, clock: Clock): Promise<void> {
	return endAll(() => processesWith((words) => isStartOf(words, dataDir)), graceMs, clock);
}

/** Pure: Node.js, its flags, the program, `up` and this folder, which a detached cluster is always given. @param words the arguments of a process */
export function isStartOf([node = '', ...words]: readonly string[], dataDir: string): boolean {
	const program = words.findIndex((word) => !word.startsWith('-'));
	if (basename(node) !== basename(process.execPath) || program < 0 || words[program + 1] !== 'up') return false;
	const at = words.indexOf('--data-dir', program);
	return at < 0 ? words.includes(`--data-dir=${dataDir}`) : words[at + 1] === dataDir;
}
