/** Brings a CRI log file up to the engine's copy: what is missing is written with the engine's times, and then followed. */
import type { StreamName } from '../engine/demux.ts';
import type { Engine } from '../engine/engine.ts';
import { bytesOf, writtenCount, type Written } from './align.ts';
import { type EnginePiece, readEngineLog } from './engine-log.ts';
import type { LogEntry } from './format.ts';
import type { Tail } from './tail.ts';
import { earlier } from './timestamp.ts';
import type { LogWriter } from './writer.ts';

export interface CatchUp {
	readonly engine: Engine;
	readonly id: string;
	readonly tty: boolean;
	readonly writer: LogWriter;
	readonly signal: AbortSignal;
}

/** How far before the file's end the engine's copy is read: the file's times are later than the engine's. */
const OVERLAP_MS = 10_000;
/** Entries of two streams may stand a little out of order. */
const FOLLOW_OVERLAP_MS = 1000;

/** Writes what the file lacks; answers how many of the engine's pieces that were, and from where to follow. */
export async function writeMissing(
	{ engine, id, tty, writer, signal }: CatchUp,
	tail: Tail,
): Promise<{ readonly written: number; readonly from: Position }> {
	const since = sinceOf(tail);
	const pieces: EnginePiece[] = [];
	for await (const piece of readEngineLog(engine, { id, tty, since, follow: false, signal })) pieces.push(copied(piece));
	writer.dropUnfinished();
	const lines = linesOf(pieces);
	const whole = since === undefined;
	const skips = { stdout: skipOf(tail.stdout, lines.stdout, whole), stderr: skipOf(tail.stderr, lines.stderr, whole) };
	let written = 0;
	for (const { stream, text, time } of pieces) {
		const skip = skips[stream];
		if (skip.lines > 0) {
			if (text.at(-1) === 10) skip.lines--;
			continue;
		}
		const rest = text.subarray(Math.min(skip.bytes, text.length));
		skip.bytes -= text.length - rest.length;
		if (rest.length === 0) continue;
		written++;
		if (!writer.write(stream, rest, time)) await writer.drained();
	}
	return { written, from: positionAfter(pieces) };
}

/** The whole lines, and the bytes of the one after them, that are written already. */
function skipOf(written: Written, engine: readonly LogEntry[], whole: boolean): { lines: number; bytes: number } {
	const lines = writtenCount(written, engine, whole);
	return { lines, bytes: written.open === '' ? 0 : bytesOf(written.open, engine[lines]?.text ?? '') };
}

/** From where the engine's copy can lack in the file: all of it where the file is short; an unfinished line may have begun at any time. */
function sinceOf({ stdout, stderr, from }: Tail): string | undefined {
	if (from === undefined || stdout.open !== '' || stderr.open !== '') return from;
	const ends = [stdout.lines.at(-1), stderr.lines.at(-1)].flatMap((entry) => (entry === undefined ? [] : [entry.time]));
	const first = ends.toSorted().at(0);
	if (first === undefined) return from;
	const since = earlier(first, OVERLAP_MS);
	return from > since ? from : since;
}

/** A place in the engine's copy: a time, and how many entries from that time on are behind it. */
export interface Position {
	readonly time: string | undefined;
	readonly seen: number;
}

function positionAfter(pieces: readonly EnginePiece[]): Position {
	const last = pieces.at(-1);
	if (last === undefined) return { time: undefined, seen: 0 };
	const time = earlier(last.time, FOLLOW_OVERLAP_MS);
	return { time, seen: pieces.filter((p) => p.time >= time).length };
}

/** Writes what comes after the position until the engine ends the stream; answers how many pieces. */
export async function follow({ engine, id, tty, writer, signal }: CatchUp, { time, seen }: Position): Promise<number> {
	let skip = seen;
	let written = 0;
	for await (const piece of readEngineLog(engine, { id, tty, since: time, follow: true, signal })) {
		if (skip-- > 0) continue;
		written++;
		if (!writer.write(piece.stream, piece.text, piece.time)) await writer.drained();
	}
	return written;
}

/** Whole lines by stream, and at the end the pieces of one that goes on. */
function linesOf(pieces: readonly EnginePiece[]): Record<StreamName, LogEntry[]> {
	const lines: Record<StreamName, LogEntry[]> = { stdout: [], stderr: [] };
	const open: Partial<Record<StreamName, string>> = {};
	for (const { stream, time, text } of pieces) {
		const joined = (open[stream] ?? '') + text.toString('latin1');
		delete open[stream];
		if (joined.endsWith('\n')) lines[stream].push({ time, stream, text: joined.slice(0, -1) });
		else open[stream] = joined;
	}
	for (const stream of ['stdout', 'stderr'] as const) {
		const rest = open[stream];
		if (rest !== undefined) lines[stream].push({ time: pieces.at(-1)?.time ?? '', stream, text: rest });
	}
	return lines;
}

/** A piece is a view of a chunk, which would be held as a whole. */
function copied(piece: EnginePiece): EnginePiece {
	return { ...piece, text: Buffer.from(piece.text) };
}
