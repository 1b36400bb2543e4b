/** What a CRI log file ends with, after a crash too. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { StreamName } from '../engine/demux.ts';
import type { Written } from './align.ts';
import { parseEntries } from './format.ts';
import { openLogEnd } from './log-path.ts';

/** How much of the file's end is compared with the engine's copy. */
const TAIL_BYTES = 256 * 1024;
/** The first, cut entry of a long file is left out. */
const LONGEST_ENTRY = 17 * 1024;

export interface Tail extends Readonly<Record<StreamName, Written>> {
	/** The time of the first line that was read, where there may be earlier ones: whatever the engine has before it is written. */
	readonly from: string | undefined;
}

/**
 * The last lines of the file by stream. A line that a crash cut short is taken off the file first. Where a rotation has just begun a new
 * file, the one that the kubelet put aside (same name, a dot and a time) goes before it.
 */
export async function tailOf(path: string, root: string): Promise<Tail> {
	const now = await endOf(path, root, true);
	const before = now.length >= TAIL_BYTES - LONGEST_ENTRY ? Buffer.alloc(0) : await rotatedEnd(path, root);
	const text = Buffer.concat([before, now]).toString('latin1');
	const isWhole = before.length === 0 && now.length < TAIL_BYTES - LONGEST_ENTRY;
	return { ...parseEntries(text), from: isWhole || text === '' ? undefined : text.slice(0, text.indexOf(' ')) };
}

async function rotatedEnd(path: string, root: string): Promise<Buffer> {
	const start = `${basename(path)}.`;
	const names = await readdir(dirname(path)).catch(() => []);
	const last = names
		.filter((name) => name.startsWith(start) && !/\.(gz|tmp)$/.test(name))
		.sort()
		.at(-1);
	return last === undefined ? Buffer.alloc(0) : endOf(join(dirname(path), last), root, false);
}

/** Whole lines only. */
async function endOf(path: string, root: string, mend: boolean): Promise<Buffer> {
	const file = await openLogEnd(path, root);
	if (file === undefined) return Buffer.alloc(0);
	try {
		const { size } = await file.stat();
		const start = Math.max(0, size - TAIL_BYTES);
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
		const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1;
		if (mend && end < bytesRead) await file.truncate(start + end);
		return buffer.subarray(start === 0 ? 0 : buffer.indexOf(10) + 1, end);
	} finally {
		await file.close();
	}
}
