/** Rotates container logs: `<n>.log` is renamed with its time, the runtime opens a new one, older ones are compressed, the oldest go. */
import { constants, createWriteStream } from 'node:fs';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { AppError } from '../../base/errors.ts';
import { placeOf } from '../../host/beneath.ts';
import { openLogFolder } from '../container/log-file.ts';

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
				if ((await sizeOf(path)) >= maxBytes) found.add(path);
			}
	return found;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	return entries.filter((e) => e.isDirectory()).map((e) => join(folder, e.name));
}

/** True when it was rotated. `reopen` makes the runtime go on in a new file; when it fails the old name comes back. */
export async function rotateLog(path: string, limits: RotationLimits, now: number, reopen: () => Promise<void>): Promise<boolean> {
	await using folder = await openLogFolder(path);
	const log = join(placeOf(folder), basename(path));
	if ((await sizeOf(log)) < limits.maxBytes) return false;
	const old = await rotatedLogs(log);
	// With the one about to be made and the current one there are maxFiles.
	const excess = old.slice(0, Math.max(0, old.length - Math.max(0, limits.maxFiles - 2)));
	for (const file of excess) await rm(file, { force: true });
	for (const file of old.slice(excess.length)) if (!file.endsWith('.gz')) await compress(file);
	const rotated = `${log}.${stampOf(now)}`;
	await rename(log, rotated);
	try {
		await reopen();
	} catch (error) {
		await rename(rotated, log);
		throw error;
	}
	return true;
}

/** Rotated files of a log, oldest first; what a rotation left half done is removed. */
async function rotatedLogs(log: string): Promise<readonly string[]> {
	const [folder, prefix] = [dirname(log), `${basename(log)}.`];
	const names = (await readdir(folder).catch(() => undefined)) ?? [];
	const files = names.filter((name) => name.startsWith(prefix)).toSorted();
	for (const name of files) if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
	return files.filter((name) => !name.endsWith('.tmp')).map((name) => join(folder, name));
}

/** The log of a container that is gone, with all that rotation made of it. */
export async function removeLogs(path: string): Promise<void> {
	await using folder = await openLogFolder(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return undefined;
		throw error;
	});
	if (folder === undefined) return;
	const log = join(placeOf(folder), basename(path));
	for (const file of [log, ...(await rotatedLogs(log))]) await rm(file, { force: true });
}

/** A link that stands there for a log is not read, and not written through. */
async function compress(file: string): Promise<void> {
	const temporary = `${file}.tmp`;
	await using from = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	if (!(await from.stat()).isFile()) throw new AppError('FailedPrecondition', `"${basename(file)}" is no log`);
	await pipeline(from.createReadStream({ autoClose: false }), createGzip(), createWriteStream(temporary, { mode: 0o640, flags: 'wx' }));
	await rename(temporary, `${file}.gz`);
	await rm(file, { force: true });
}

/** 0 for what is not there, and for what is no file. */
async function sizeOf(path: string): Promise<number> {
	const info = await lstat(path).catch(() => undefined);
	return info?.isFile() === true ? info.size : 0;
}

/** Upstream's 20060102-150405. */
function stampOf(now: number): string {
	return new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
