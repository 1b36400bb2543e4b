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
const ROOM_BYTES = TAIL_BYTES - LONGEST_ENTRY;

export interface Tail extends Readonly<Record<StreamName, Written>> {
	/** The time of the first line that was read, where there may be earlier ones: whatever the engine has before it is written. */
	readonly from: string | undefined;
}

/**
 * The last lines of the file by stream. A line that a crash cut short is taken off the file first. Where a rotation has just begun a new
 * file, those that the kubelet put aside (same name, a dot and a time) go before it, as many as there is room for.
 */
export async function tailOf(path: string, root: string): Promise<Tail> {
	const now = await endOf(path, root, true);
	let ends = now?.lines ?? Buffer.alloc(0);
	const { plain, compressed } = await putAside(path);
	while (ends.length < ROOM_BYTES && plain.length > 0) {
		// A shim that was killed before it heard of the rotation wrote there until then.
		const aside = await endOf(plain.pop() as string, root, ends.length === 0);
		// Its own name was read just before it was put aside.
		if (aside === undefined || aside.inode === now?.inode) continue;
		ends = Buffer.concat([aside.lines, ends]);
	}
	const text = ends.toString('latin1');
	const isWhole = ends.length < ROOM_BYTES && !compressed;
	return { ...parseEntries(text), from: isWhole || text === '' ? undefined : text.slice(0, text.indexOf(' ')) };
}

/** What rotations left: the paths that can be read, oldest first, and whether there are older ones that the kubelet has compressed. */
async function putAside(path: string): Promise<{ readonly plain: string[]; readonly compressed: boolean }> {
	const start = `${basename(path)}.`;
	const names = (await readdir(dirname(path)).catch(() => [])).filter((name) => name.startsWith(start));
	const plain = names.filter((name) => !/\.(gz|tmp)$/.test(name)).sort();
	return { plain: plain.map((name) => join(dirname(path), name)), compressed: names.some((name) => name.endsWith('.gz')) };
}

interface End {
	readonly inode: bigint;
	readonly lines: Buffer;
}

/** Whole lines only; undefined where there is no file. */
async function endOf(path: string, root: string, mend: boolean): Promise<End | undefined> {
	const file = await openLogEnd(path, root);
	if (file === undefined) return undefined;
	try {
		const { size: bytes, ino: inode } = await file.stat({ bigint: true });
		const size = Number(bytes);
		const start = Math.max(0, size - TAIL_BYTES);
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
		const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1;
		if (mend && end < bytesRead) await file.truncate(start + end);
		return { inode, lines: buffer.subarray(start === 0 ? 0 : buffer.indexOf(10) + 1, end) };
	} finally {
		await file.close();
	}
}
