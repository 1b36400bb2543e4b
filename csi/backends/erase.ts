/** Overwriting what an image holds before it is given back. Holes stay holes: a pool that is full is no obstacle. */
import { open, type FileHandle } from 'node:fs/promises';
import { ignoreErrno } from '../../base/errors.ts';

const READ_BYTES = 1024 * 1024;
/** What file systems allocate at the least. */
const BLOCK_BYTES = 4096;
const ZEROES = Buffer.alloc(READ_BYTES);

/** Not there is success. */
export async function eraseFile(path: string): Promise<void> {
	await using file = await open(path, 'r+').catch(ignoreErrno('ENOENT'));
	if (file === undefined) return;
	const buffer = Buffer.alloc(READ_BYTES);
	for (let at = 0; ; ) {
		const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
		if (bytesRead === 0) break;
		for (const { from, to } of filled(buffer.subarray(0, bytesRead))) await writeZeroes(file, at + from, at + to);
		at += bytesRead;
	}
	await file.sync();
}

/** All of it: one write may do less than it is asked for. */
async function writeZeroes(file: FileHandle, from: number, to: number): Promise<void> {
	for (let at = from; at < to; ) at += (await file.write(ZEROES, 0, to - at, at)).bytesWritten;
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
