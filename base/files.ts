/** Durable files: replaced whole or not at all. */
import { closeSync, fsync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, basename, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError, ignoreErrno } from './errors.ts';
import { makeFolder } from './make-folder.ts';

const sync = promisify(fsync);

/** Writes the file atomically and durably: temp file beside it, fsync, rename, fsync of the folder. Makes the folder if need be. */
export async function writeAtomic(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
	const dir = dirname(path);
	const temp = join(dir, `.${basename(path)}.${randomBytes(6).toString('hex')}`);
	try {
		const file = await openIn(dir, () => open(temp, 'wx', mode));
		try {
			await file.writeFile(data);
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(temp, path);
	} catch (error) {
		await rm(temp, { force: true });
		throw error;
	}
	await syncPath(dir);
}

/** The same for a path that a user names: a device or a pipe stays what it is, and is written to. `KUBECONFIG=/dev/null` says that there is to be none. */
export async function writeNamed(path: string, data: string): Promise<void> {
	const there = await stat(path).catch(ignoreErrno('ENOENT', 'ENOTDIR'));
	if (there === undefined || there.isFile()) await writeAtomic(path, data);
	else await writeFile(path, data);
}

/** Opens a file in the folder, which is made only where it is missing: it hardly ever is. */
export async function openIn(dir: string, openFile: () => Promise<FileHandle>): Promise<FileHandle> {
	try {
		return await openFile();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		await makeFolder(dir);
		return openFile();
	}
}

/** Makes durable what a file holds, or the renames and deletes in a folder. */
export async function syncPath(path: string): Promise<void> {
	const fd = openSync(path, 'r'); // whose sync is worth something was just written: the kernel has it at hand
	try {
		await sync(fd);
	} finally {
		closeSync(fd);
	}
}

/** The text of a file, or undefined where there is none. */
export async function readIfExists(path: string): Promise<string | undefined> {
	try {
		return await readFile(path, 'utf8');
	} catch (error) {
		return noFile(error);
	}
}

function noFile(error: unknown): undefined {
	if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

/** Durable state: versioned JSON. Reading an unknown version or broken JSON fails loudly, naming the file. */
export async function writeState(path: string, version: number, state: object): Promise<void> {
	await writeAtomic(path, stateText(version, state));
}

/**
 * The same, but not on the disk yet: `kill -9` leaves the old or the new state whole, a power failure may leave an empty file. Nothing is handed to another
 * thread, which for each of the four steps takes the processors for longer than the step itself.
 */
export function writeStateUnsynced(path: string, version: number, state: object): void {
	try {
		writeStateInMemory(path, version, state);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		mkdirSync(dirname(path), { recursive: true });
		writeStateInMemory(path, version, state);
	}
}

/** As it stands in the file. */
export function stateText(version: number, state: object): string {
	return `${JSON.stringify({ version, ...state })}\n`;
}

/** For folders in memory: what is written there is as old as the machine's run, and nothing there waits for a disk. */
export function writeStateInMemory(path: string, version: number, state: object): void {
	const temp = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
	try {
		writeFileSync(temp, stateText(version, state), { mode: 0o600, flag: 'wx' });
		renameSync(temp, path);
	} catch (error) {
		rmSync(temp, { force: true });
		throw error;
	}
}

/** Reads it back; undefined where there is no file. */
export function readStateInMemory<T extends object>(path: string, version: number): Partial<T> | undefined {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		return noFile(error);
	}
	return parseState(path, version, text);
}

/** Reads what writeState wrote; undefined where there is no file. */
export async function readState<T extends object>(path: string, version: number): Promise<Partial<T> | undefined> {
	const text = await readIfExists(path);
	return text === undefined ? undefined : parseState(path, version, text);
}

function parseState<T extends object>(path: string, version: number, text: string): Partial<T> {
	let parsed: Partial<T> & { version?: unknown };
	try {
		parsed = JSON.parse(text) as typeof parsed;
	} catch (cause) {
		throw new AppError('DataLoss', `The state file "${path}" is not valid JSON. Restore it from a copy.`, { cause });
	}
	if (parsed.version !== version)
		throw new AppError(
			'FailedPrecondition',
			`The state file "${path}" has version ${JSON.stringify(parsed.version)}; this program knows version ${version}. Use the program that wrote it.`,
		);
	return parsed;
}
