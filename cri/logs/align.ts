/** Where to go on after a gap: which of the engine's log lines are in the CRI file already. Pure. */
import type { LogEntry } from './format.ts';

/** So many lines before a place must agree for it to be the place. */
const COMPARED = 64;

/** A line's time in the file may be so much before the engine's: two readings of the clock. */
const CLOCK_SLACK_MS = 2;

/** What the file ends with, of one stream. */
export interface Written {
	/** Its last whole lines, oldest first. */
	readonly lines: readonly LogEntry[];
	/** The beginning of a line that has no end yet. */
	readonly open: string;
}

/**
 * How many lines at the start of `engine` (in order of time) are written already. Texts must agree backwards from that place and the
 * line that is open must begin the next one; of several such places (a program that repeats itself) the one nearest in time is taken:
 * the file's time is when the shim received what the engine had stamped shortly before. Of the engine's first line the beginning may
 * be missing. Where both are there from the first line on, `whole`, there is nothing to guess: as many as the file has.
 */
export function writtenCount({ lines, open }: Written, engine: readonly LogEntry[], whole = false): number {
	const last = lines.at(-1);
	if (last === undefined) return 0;
	if (whole && beginAlike(lines, engine) && agrees(lines, open, engine, lines.length)) return lines.length;
	const lastMs = Date.parse(last.time);
	const distance = (count: number): number => Math.abs(lastMs - Date.parse((engine[count - 1] as LogEntry).time));
	let later = firstAfter(engine, last.time) + 1;
	let earlier = later - 1;
	while (earlier >= 1 || later <= engine.length) {
		const count = later > engine.length || (earlier >= 1 && distance(earlier) <= distance(later)) ? earlier-- : later++;
		if (agrees(lines, open, engine, count)) return count;
	}
	return 0;
}

/** The engine keeps a bounded copy: its first line may be a later one. */
function beginAlike(lines: readonly LogEntry[], engine: readonly LogEntry[]): boolean {
	const [ours, theirs] = [lines[0], engine[0]];
	if (ours === undefined || theirs === undefined || engine.length < lines.length) return false;
	return Date.parse(theirs.time) <= Date.parse(ours.time) + CLOCK_SLACK_MS;
}

/** The index of the first line whose time is later. Both sides write times in one fixed form, so that text compares as time. */
function firstAfter(engine: readonly LogEntry[], time: string): number {
	let low = 0;
	let high = engine.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((engine[middle] as LogEntry).time > time) high = middle;
		else low = middle + 1;
	}
	return low;
}

function agrees(lines: readonly LogEntry[], open: string, engine: readonly LogEntry[], count: number): boolean {
	if (open !== '' && !skeleton(engine[count]?.text ?? '').startsWith(skeleton(open))) return false;
	for (let i = 1; i <= Math.min(count, lines.length, COMPARED); i++) {
		const ours = skeleton((lines[lines.length - i] as LogEntry).text);
		const theirs = skeleton((engine[count - i] as LogEntry).text);
		if (ours !== theirs && !(count === i && ours.endsWith(theirs))) return false;
	}
	return true;
}

/** The engine's json-file driver keeps no bytes that are not UTF-8, and cuts characters apart at the end of a piece: ASCII is what both have. */
function skeleton(text: string): string {
	return text.replaceAll(/[\x80-\xff]+/g, '');
}

/** How many bytes of the engine's line `open` stands for, its other bytes counted as the engine has them. */
export function bytesOf(open: string, line: string): number {
	if (line.startsWith(open)) return open.length;
	let ascii = skeleton(open).length;
	let at = 0;
	for (; at < line.length && ascii > 0; at++) if (line.charCodeAt(at) < 0x80) ascii--;
	if (open.charCodeAt(open.length - 1) >= 0x80) while (line.charCodeAt(at) >= 0x80) at++;
	return at;
}
