/**
 * Overwriting what an image holds before it is given back, from its end and cutting off what is done: what copies share is written elsewhere, and that is
 * given back at once, so that a pool that is full is no obstacle. Holes stay holes.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { ignoreErrno } from '../../base/errors.ts';

/** So much room it takes at the most, and after so much it is synced. */
const STRIDE_BYTES = 8 * 1024 * 1024;
/** What file systems allocate at the least. */
const BLOCK_BYTES = 4096;
const ZEROES = Buffer.alloc(1024 * 1024);

/** The file is empty then. Not there is success. Rejects with the signal's reason, and goes on from there when it is called again. */
export async function eraseFile(path: string, signal?: AbortSignal): Promise<void> {
	await using file = await open(path, 'r+').catch(ignoreErrno('ENOENT'));
	if (file !== undefined) await erase(file, signal);
}

/** What is asked of a file. */
export type Erasable = Pick<FileHandle, 'stat' | 'read' | 'write' | 'sync' | 'truncate'>;

export async function erase(file: Erasable, signal?: AbortSignal): Promise<void> {
	const buffer = Buffer.alloc(STRIDE_BYTES);
	for (let end = (await file.stat()).size; end > 0; ) {
		signal?.throwIfAborted();
		const start = Math.floor((end - 1) / STRIDE_BYTES) * STRIDE_BYTES;
		if (await eraseRange(file, start, buffer.subarray(0, end - start))) await file.sync();
		await file.truncate(start);
		end = start;
	}
}

/** Overwrites what is not zero in the range; whether anything was, so that a sync is due. */
async function eraseRange(file: Erasable, start: number, buffer: Buffer): Promise<boolean> {
	let filledAny = false;
	for (let at = 0; at < buffer.length; ) {
		const { bytesRead } = await file.read(buffer, at, buffer.length - at, start + at);
		if (bytesRead === 0) break;
		for (const { from, to } of filled(buffer.subarray(at, at + bytesRead))) {
			await writeZeroes(file, start + at + from, start + at + to);
			filledAny = true;
		}
		at += bytesRead;
	}
	return filledAny;
}

/** All of it: one write may do less than it is asked for. */
async function writeZeroes(file: Erasable, from: number, to: number): Promise<void> {
	for (let at = from; at < to; ) at += (await file.write(ZEROES, 0, Math.min(to - at, ZEROES.length), at)).bytesWritten;
}

/** Pure: runs of blocks that are not all zeroes. */
function filled(data: Buffer): readonly { readonly from: number; readonly to: number }[] {
	const runs: { from: number; to: number }[] = [];
	for (let from = 0; from < data.length; from += BLOCK_BYTES) {
		const to = Math.min(from + BLOCK_BYTES, data.length);
		if (data.compare(ZEROES, 0, to - from, from, to) === 0) continue;
		const last = runs.at(-1);
		if (last?.to === from) last.to = to;
		else runs.push({ from, to });
	}
	return runs;
}
