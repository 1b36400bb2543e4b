/** `kubeling logs`: the cluster's own log file, its last lines, followed on demand. */
import { watch } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';

export async function logs(flags: CommonFlags & { readonly follow?: boolean; readonly lines: string }): Promise<void> {
	if (!/^\d+$/.test(flags.lines)) throw new AppError('InvalidArgument', `--lines "${flags.lines}" is not a count`);
	const { dataDir, name } = await whichCluster(flags);
	const path = join(dataDir, 'logs', 'kubeling.log');
	const before = await stat(path).catch(() => undefined);
	if (before === undefined)
		throw new AppError('NotFound', `Cluster "${name}" has no log at ${path}; it was never started, or --data-dir is another`);
	let at = await printLast(path, Number(flags.lines));
	if (flags.follow !== true) return;
	const more = async (): Promise<void> => {
		const { size } = await stat(path).catch(() => ({ size: 0 }));
		if (size < at) at = 0; // rotated
		if (size > at) at = await printFrom(path, at);
	};
	let work = Promise.resolve();
	watch(path, () => {
		work = work.then(more, () => {});
	});
}

const WINDOW_BYTES = 1024 * 1024;

async function printLast(path: string, lines: number): Promise<number> {
	const file = await open(path);
	try {
		const { size } = await file.stat();
		const start = Math.max(0, size - WINDOW_BYTES);
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
		const all = buffer.subarray(0, bytesRead).toString().split('\n').slice(0, -1);
		for (const line of lines === 0 ? [] : all.slice(-lines)) console.log(line);
		return size;
	} finally {
		await file.close();
	}
}

async function printFrom(path: string, from: number): Promise<number> {
	const file = await open(path);
	try {
		const { size } = await file.stat();
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
		process.stdout.write(buffer.subarray(0, bytesRead));
		return from + bytesRead;
	} finally {
		await file.close();
	}
}
