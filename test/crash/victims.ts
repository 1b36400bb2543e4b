/** Which process of a cluster dies, and proof that it died. */
import { readFile } from 'node:fs/promises';
import { realClock } from '../../base/clock.ts';
import { holderOf } from '../../cluster/lock.ts';
import { processesOf } from './traces.ts';

/** `daemon`: the process that holds the data folder; `everything`: with all parts at once; `start`: the daemon while it resumes; else one part of an isolated cluster. */
export type Victim = 'daemon' | 'everything' | 'start' | 'apiserver' | 'cri' | 'scheduler' | 'controller-manager' | 'agent';

export const VICTIMS: Readonly<Record<'bundled' | 'isolated', readonly [Victim, ...Victim[]]>> = {
	bundled: ['daemon', 'daemon', 'daemon', 'start'],
	isolated: ['daemon', 'apiserver', 'agent', 'everything', 'cri', 'controller-manager', 'start', 'scheduler'],
};

/** The processes that are to die, the daemon last; empty when there is none (yet). */
export async function pidsOf(victim: Victim, dataDir: string): Promise<readonly number[]> {
	const daemon = (await holderOf(dataDir))?.pid;
	if (victim === 'daemon' || victim === 'start') return daemon === undefined ? [] : [daemon];
	const parts = (await processesOf(dataDir)).filter((line) => line.includes(`${dataDir}/parts/`));
	const chosen = victim === 'everything' ? parts : parts.filter((line) => line.includes(`${dataDir}/parts/${victim}.json`));
	const pids = chosen.map((line) => Number(line.split(' ')[0]));
	return victim === 'everything' && daemon !== undefined ? [...pids, daemon] : pids;
}

const DEATH_MS = 60_000;

/** `kill -9`, and a rejection unless each process is dead afterwards. */
export async function killHard(pids: readonly number[]): Promise<void> {
	if (pids.length === 0) throw new Error('There is no process to kill');
	for (const pid of pids) if (!(await isAlive(pid))) throw new Error(`Process ${pid} was dead before it was killed`);
	for (const pid of pids) process.kill(pid, 'SIGKILL');
	const until = Date.now() + DEATH_MS;
	for (const pid of pids)
		while (await isAlive(pid)) {
			if (Date.now() > until) throw new Error(`Process ${pid} survived kill -9`);
			await realClock.sleep(5);
		}
}

/** A zombie is dead: whether its parent has noticed is not the question. */
async function isAlive(pid: number): Promise<boolean> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
	return stat !== undefined && !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3));
}
