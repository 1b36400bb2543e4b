/** The end of a log file, found from behind. */
import type { FileHandle } from 'node:fs/promises';
import { openLog } from '../container/log-file.ts';
import { parseLogLine } from './log-format.ts';

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/** Where the last `lines` lines begin. A file that does not end with a newline counts its rest as a line. */
export async function tailOffset(file: FileHandle, lines: number): Promise<number> {
	const { size } = await file.stat();
	if (lines <= 0) return size;
	let found = 0;
	for (let end = size; end > 0; ) {
		const start = Math.max(0, end - BLOCK);
		const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
		for (let i = buffer.length - 1; i >= 0; i--) {
			if (buffer[i] !== NEWLINE || start + i === size - 1) continue;
			if (++found === lines) return start + i + 1;
		}
		end = start;
	}
	return 0;
}

/** The text of the last lines, at most so many bytes. */
export async function lastLines(path: string, lines: number, maxBytes: number): Promise<string> {
	const file = await openLog(path);
	try {
		const from = await tailOffset(file, lines);
		const { size } = await file.stat();
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
		const out: Buffer[] = [];
		for (const line of splitLines(buffer.subarray(0, bytesRead))) {
			const parsed = parseLogLine(line);
			if (parsed !== undefined) out.push(Buffer.from(parsed.text), Buffer.from(parsed.partial ? '' : '\n'));
		}
		const all = Buffer.concat(out);
		return all.subarray(Math.max(0, all.length - maxBytes)).toString('utf8');
	} finally {
		await file.close();
	}
}

function splitLines(buffer: Buffer): readonly Buffer[] {
	const lines: Buffer[] = [];
	let from = 0;
	for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, from)) {
		lines.push(buffer.subarray(from, at));
		from = at + 1;
	}
	if (from < buffer.length) lines.push(buffer.subarray(from));
	return lines;
}
