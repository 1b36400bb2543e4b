/** CRI log lines: `<RFC 3339 time> <stdout|stderr> <P|F> <text>`, P for a piece of a line that goes on. Pure. */
import type { StreamName } from '../engine/demux.ts';

/** Longer lines are cut into pieces of this many bytes (containerd's default, and what kubelet's reader expects to meet). */
export const MAX_LINE_BYTES = 16 * 1024;

export interface LogEntry {
	readonly time: string;
	readonly stream: StreamName;
	readonly text: string;
}

const NEWLINE = 10;

/** Cuts what one stream brings into lines; what has no end yet waits. */
export class LineSplitter {
	#rest: Buffer[] = [];
	#restBytes = 0;

	/** Calls `emit` for each whole line (full) and each piece of a line that grew too long (not full). */
	push(data: Buffer, emit: (line: Buffer, full: boolean) => void): void {
		let from = 0;
		while (from < data.length) {
			const newline = data.indexOf(NEWLINE, from);
			const end = newline < 0 ? data.length : newline;
			let piece = data.subarray(from, end);
			while (this.#restBytes + piece.length > MAX_LINE_BYTES || (newline < 0 && this.#restBytes + piece.length === MAX_LINE_BYTES)) {
				const take = MAX_LINE_BYTES - this.#restBytes;
				emit(this.#take(piece.subarray(0, take)), false);
				piece = piece.subarray(take);
			}
			if (newline < 0) {
				if (piece.length > 0) this.#keep(piece);
				return;
			}
			emit(this.#take(piece), true);
			from = newline + 1;
		}
	}

	/** The end of the stream: a last line without newline is a piece. */
	end(emit: (line: Buffer, full: boolean) => void): void {
		if (this.#restBytes > 0) emit(this.#take(Buffer.alloc(0)), false);
	}

	/** Drops what has no end yet: it will come again. */
	drop(): void {
		this.#rest = [];
		this.#restBytes = 0;
	}

	#keep(piece: Buffer): void {
		this.#rest.push(Buffer.from(piece));
		this.#restBytes += piece.length;
	}

	#take(piece: Buffer): Buffer {
		const line = this.#rest.length === 0 ? piece : Buffer.concat([...this.#rest, piece]);
		this.#rest = [];
		this.#restBytes = 0;
		return line;
	}
}

export function formatEntry(time: string, stream: StreamName, line: Buffer, full: boolean): Buffer {
	return Buffer.concat([Buffer.from(`${time} ${stream} ${full ? 'F' : 'P'} `), line, Buffer.from('\n')]);
}

/** The lines of a CRI log text by stream, pieces joined to their line, and the pieces of a line without end. Texts are bytes (latin1). */
export function parseEntries(text: string): Record<StreamName, { lines: LogEntry[]; open: string }> {
	const found = { stdout: { lines: [] as LogEntry[], open: '' }, stderr: { lines: [] as LogEntry[], open: '' } };
	for (const line of text.split('\n')) {
		const match = /^(\S+) (stdout|stderr) ([PF]) (.*)$/s.exec(line);
		if (match === null) continue;
		const [, time = '', name, tag, rest = ''] = match;
		const stream = name as StreamName;
		const joined = found[stream].open + rest;
		if (tag === 'P') found[stream].open = joined;
		else {
			found[stream].open = '';
			found[stream].lines.push({ time, stream, text: joined });
		}
	}
	return found;
}
