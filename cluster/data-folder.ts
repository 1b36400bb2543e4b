/**
 * A cluster's data folder: where everything durable of it lives, locked by one process at a time, with a version that an older
 * program refuses. Layout: `cluster.json` (this file's state), `lock`, `pki/`, `store/`, `node/`, `cri/`, `logs/`.
 */
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { readState, writeState } from '../base/files.ts';
import type { EtcdConfig } from './parts/config.ts';

/** What a cluster keeps of itself, so that `up` resumes the same one. */
export interface ClusterState {
	readonly name: string;
	readonly port: number;
	readonly kubeletPort: number;
	readonly podSubnet: string;
	readonly serviceSubnet: string;
	readonly nodeName: string;
	/** Absent: objects are in a database of the folder. */
	readonly etcd?: EtcdConfig | undefined;
}

const VERSION = 1;

/** Root keeps clusters under /var/lib, others in their home (XDG base directory). */
export function defaultDataDir(name: string, env: NodeJS.ProcessEnv = process.env, uid: number | undefined = process.getuid?.()): string {
	if (uid === 0) return join('/var/lib/kubeling', name);
	return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'kubeling', name);
}

export async function readClusterState(dataDir: string): Promise<ClusterState | undefined> {
	const state = await readState<ClusterState>(join(dataDir, 'cluster.json'), VERSION);
	return state as ClusterState | undefined;
}

export async function writeClusterState(dataDir: string, state: ClusterState): Promise<void> {
	await writeState(join(dataDir, 'cluster.json'), VERSION, state);
}

/** Who holds a data folder. */
export interface Holder {
	readonly pid: number;
	/** Field 22 of /proc/PID/stat: tells a process from a later one with the same number. */
	readonly startTime: string;
}

/** The live process that holds the folder, or undefined. */
export async function holderOf(dataDir: string): Promise<Holder | undefined> {
	const text = await readFile(join(dataDir, 'lock'), 'utf8').catch(() => '');
	const [pid, startTime] = text.trim().split(' ');
	if (pid === undefined || startTime === undefined || pid === '') return undefined;
	return (await processStartTime(Number(pid))) === startTime ? { pid: Number(pid), startTime } : undefined;
}

/** Takes the folder for this process; AppError FailedPrecondition names the process that has it. Disposing gives it back. */
export async function lockDataFolder(dataDir: string): Promise<AsyncDisposable> {
	await mkdir(dataDir, { recursive: true, mode: 0o700 });
	const path = join(dataDir, 'lock');
	const mine = `${process.pid} ${(await processStartTime(process.pid)) ?? '0'}\n`;
	for (;;) {
		try {
			const file = await open(path, 'wx', 0o600);
			await file.writeFile(mine);
			await file.close();
			return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		}
		const holder = await holderOf(dataDir);
		if (holder !== undefined)
			throw new AppError(
				'FailedPrecondition',
				`The data folder "${dataDir}" is in use by process ${holder.pid}. Stop it with "kubeling down --data-dir ${dataDir}", or give another --data-dir and --name.`,
			);
		await rm(path, { force: true }); // its holder died without giving it back
	}
}

async function processStartTime(pid: number): Promise<string | undefined> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
	// The command name in parentheses may hold anything; the fields count from behind it (proc(5)).
	return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
