/** One process at a time has a data folder, or whatever else a lock file stands for: a file with its pid and start, which tells a live holder from one that died. */
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { realClock, type Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { processStat } from '../host/process.ts';

/** Who holds a data folder. */
export interface Holder {
	readonly pid: number;
	/** Field 22 of /proc/PID/stat: tells a process from a later one with the same number. */
	readonly startTime: string;
}

/** The live process that holds the folder, or undefined. */
export async function holderOf(dataDir: string): Promise<Holder | undefined> {
	const holder = parse(await read(join(dataDir, 'lock')));
	return holder !== undefined && (await lifeOf(holder)) !== 'dead' ? holder : undefined;
}

/** Takes the folder for this process (see `takeLock`); AppError FailedPrecondition names the process that has it. */
export async function lockDataFolder(dataDir: string, clock: Clock = realClock): Promise<AsyncDisposable> {
	await makeFolder(dataDir, 0o700);
	const taken = await takeLock(join(dataDir, 'lock'), clock);
	if ('pid' in taken)
		throw new AppError(
			'FailedPrecondition',
			`The data folder "${dataDir}" is in use by process ${taken.pid}. Stop it with "kubeling down --data-dir ${dataDir}", or give another --data-dir and --name.`,
		);
	return taken;
}

/**
 * A lock file for this process, given back by disposing; or the live process that has it. The file appears with its content or not at all, and
 * one that a dead process left goes without harm to a third process that takes it at the same moment.
 */
export async function takeLock(path: string, clock: Clock): Promise<AsyncDisposable | Holder> {
	const own = `${path}.${randomBytes(6).toString('hex')}`;
	const mine = `${process.pid} ${(await processStat(process.pid))?.startTicks ?? 0}\n`;
	try {
		await writeFile(own, mine, { mode: 0o600, flag: 'wx' });
		while (!(await linked(own, path))) {
			const holder = await removeDead(path, `${own}.dead`, clock);
			if (holder !== undefined) return holder;
		}
	} finally {
		await rm(own, { force: true });
	}
	return {
		async [Symbol.asyncDispose]() {
			if ((await read(path)) === mine) await rm(path, { force: true });
		},
	};
}

async function linked(from: string, to: string): Promise<boolean> {
	try {
		await link(from, to);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

/** Removes the lock of a dead holder, waiting for one that is on its way out; the holder when it lives. */
async function removeDead(path: string, aside: string, clock: Clock): Promise<Holder | undefined> {
	const seen = await read(path);
	const holder = parse(seen);
	const life = holder === undefined ? 'dead' : await lifeOf(holder);
	if (life === 'dying') {
		await clock.sleep(DYING_POLL_MS);
		return undefined;
	}
	if (life === 'alive') return holder;
	await rename(path, aside).catch(ifGone);
	// Between looking and moving another process may have taken the folder: its lock goes back.
	if ((await read(aside)) !== seen) await link(aside, path).catch(ifGone);
	await rm(aside, { force: true });
	return undefined;
}

const DYING_POLL_MS = 5;

/** `dying`: killed, but some of its threads are not yet gone, and with them its files and ports. A zombie without threads is dead. */
export async function lifeOf({ pid, startTime }: Holder): Promise<'alive' | 'dying' | 'dead'> {
	const stat = await processStat(pid);
	if (stat === undefined || String(stat.startTicks) !== startTime || stat.state === 'X') return 'dead';
	if (stat.state !== 'Z') return 'alive';
	return (await readdir(`/proc/${pid}/task`).catch(() => [])).length > 1 ? 'dying' : 'dead';
}

async function read(path: string): Promise<string> {
	return readFile(path, 'utf8').catch(() => '');
}

function parse(text: string): Holder | undefined {
	const [pid, startTime] = text.trim().split(' ');
	return pid === undefined || pid === '' || startTime === undefined ? undefined : { pid: Number(pid), startTime };
}

function ifGone(error: unknown): void {
	const { code } = error as NodeJS.ErrnoException;
	if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
}
