/** What a folder takes on its file system: blocks and inodes, each file once however many names it has, as du counts. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

export interface DiskUsage {
	readonly bytes: number;
	readonly inodes: number;
}

const BLOCK = 512;

/** Other file systems that are mounted below do not count; what vanishes meanwhile is left out. Nothing there is nothing used. */
export async function diskUsage(folder: string, signal?: AbortSignal): Promise<DiskUsage> {
	const root = await lstat(folder).catch(() => undefined);
	if (root === undefined) return { bytes: 0, inodes: 0 };
	const linked = new Set<number>();
	let [bytes, inodes] = [root.blocks * BLOCK, 1];
	const open = [folder];
	for (let path = open.pop(); path !== undefined; path = open.pop()) {
		signal?.throwIfAborted();
		for await (const entry of (await opendir(path).catch(() => undefined)) ?? []) {
			const child = join(path, entry.name);
			const stats = await lstat(child).catch(() => undefined);
			if (stats === undefined || stats.dev !== root.dev) continue;
			if (stats.nlink > 1 && !stats.isDirectory()) {
				if (linked.has(stats.ino)) continue;
				linked.add(stats.ino);
			}
			bytes += stats.blocks * BLOCK;
			inodes++;
			if (stats.isDirectory()) open.push(child);
		}
	}
	return { bytes, inodes };
}
