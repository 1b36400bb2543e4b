/** Rotates container logs: `<n>.log` is renamed with its time, the runtime opens a new one, older ones are compressed, the oldest go. */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface RotationLimits {
	readonly maxBytes: number;
	/** The current one included. */
	readonly maxFiles: number;
}

/** The logs in use that have reached the limit: found by looking at the files alone, so that idle pods cost nothing. */
export async function longLogs(podLogsDir: string, maxBytes: number): Promise<ReadonlySet<string>> {
	const found = new Set<string>();
	for (const pod of await foldersIn(podLogsDir))
		for (const container of await foldersIn(pod))
			for (const name of await readdir(container).catch(() => [])) {
				if (!/^\d+\.log$/.test(name)) continue;
				const path = join(container, name);
				if (((await stat(path).catch(() => undefined))?.size ?? 0) >= maxBytes) found.add(path);
			}
	return found;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	return entries.filter((e) => e.isDirectory()).map((e) => join(folder, e.name));
}

/** True when it was rotated. `reopen` makes the runtime go on in a new file; when it fails the old name comes back. */
export async function rotateLog(path: string, limits: RotationLimits, now: number, reopen: () => Promise<void>): Promise<boolean> {
	const size = (await stat(path).catch(() => undefined))?.size ?? 0;
	if (size < limits.maxBytes) return false;
	const old = await rotatedLogs(path);
	// With the one about to be made and the current one there are maxFiles.
	const excess = old.slice(0, Math.max(0, old.length - Math.max(0, limits.maxFiles - 2)));
	for (const file of excess) await rm(file, { force: true });
	for (const file of old.slice(excess.length)) if (!file.endsWith('.gz')) await compress(file);
	const rotated = `${path}.${stampOf(now)}`;
	await rename(path, rotated);
	try {
		await reopen();
	} catch (error) {
		await rename(rotated, path);
		throw error;
	}
	return true;
}

/** Rotated files of a log, oldest first; what a rotation left half done is removed. */
async function rotatedLogs(path: string): Promise<readonly string[]> {
	const [folder, prefix] = [dirname(path), `${basename(path)}.`];
	const names = (await readdir(folder).catch(() => undefined)) ?? [];
	const files = names.filter((name) => name.startsWith(prefix)).toSorted();
	for (const name of files) if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
	return files.filter((name) => !name.endsWith('.tmp')).map((name) => join(folder, name));
}

/** The log of a container that is gone, with all that rotation made of it. */
export async function removeLogs(path: string): Promise<void> {
	for (const file of [path, ...(await rotatedLogs(path))]) await rm(file, { force: true });
}

async function compress(file: string): Promise<void> {
	const temporary = `${file}.tmp`;
	await pipeline(createReadStream(file), createGzip(), createWriteStream(temporary, { mode: 0o640 }));
	await rename(temporary, `${file}.gz`);
	await rm(file, { force: true });
}

/** Upstream's 20060102-150405. */
function stampOf(now: number): string {
	return new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
