/** Where to go on after a restart: which of the engine's log entries are in the CRI file already. Pure. */
import type { LogEntry } from './format.ts';

/**
 * How many entries at the start of `engine` are written already, given the last entries of one stream of the file. Texts must
 * agree backwards from that point; of several such points (a program that repeats itself) the one nearest in time is taken:
 * the file's time is when the shim received what the engine had stamped shortly before.
 */
export function writtenCount(file: readonly LogEntry[], engine: readonly LogEntry[]): number {
	const last = file.at(-1);
	if (last === undefined) return 0;
	const lastMs = Date.parse(last.time);
	let best = 0;
	let bestDistance = Number.POSITIVE_INFINITY;
	for (let count = 1; count <= engine.length; count++) {
		if (!agrees(file, engine, count)) continue;
		const distance = Math.abs(lastMs - Date.parse((engine[count - 1] as LogEntry).time));
		if (distance <= bestDistance) {
			best = count;
			bestDistance = distance;
		}
	}
	return best;
}

function agrees(file: readonly LogEntry[], engine: readonly LogEntry[], count: number): boolean {
	for (let i = 1; i <= Math.min(count, file.length); i++) {
		if (file[file.length - i]?.text !== engine[count - i]?.text) return false;
	}
	return true;
}
