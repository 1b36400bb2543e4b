/** Facts of processes, from /proc. */
import { readFile, readdir } from 'node:fs/promises';
import { ignoreErrno } from '../base/errors.ts';

export interface ProcessStat {
	readonly pid: number;
	readonly parent: number;
	readonly state: string;
	/** Ticks since boot; with the pid it identifies a process for good. */
	readonly startTicks: number;
}

/** Pure: one /proc/PID/stat line. The name in parentheses may hold anything, so fields count from the last ")". */
export function parseProcessStat(text: string): ProcessStat | undefined {
	const close = text.lastIndexOf(')');
	if (close < 0) return undefined;
	const fields = text.slice(close + 2).split(' ');
	return { pid: Number.parseInt(text, 10), state: fields[0] ?? '', parent: Number(fields[1]), startTicks: Number(fields[19]) };
}

/** Undefined where there is no such process; throws where that cannot be told, for whoever is taken for gone loses what is its own. */
export async function processStat(pid: number, root: string = '/proc'): Promise<ProcessStat | undefined> {
	const text = await readFile(`${root}/${pid}/stat`, 'utf8').catch(ignoreErrno('ENOENT', 'ESRCH'));
	return text === undefined ? undefined : parseProcessStat(text);
}

/** The process and all that descend from it, children first. */
export async function processTree(pid: number): Promise<readonly number[]> {
	const children = new Map<number, number[]>();
	for (const name of await readdir('/proc')) {
		if (!/^\d+$/.test(name)) continue;
		const stat = await processStat(Number(name)).catch(() => undefined); // one of others that may not be looked at
		if (stat === undefined) continue;
		const siblings = children.get(stat.parent);
		if (siblings === undefined) children.set(stat.parent, [stat.pid]);
		else siblings.push(stat.pid);
	}
	const walk = (p: number): number[] => [...(children.get(p) ?? []).flatMap(walk), p];
	return walk(pid);
}

export async function oomScoreAdj(pid: number | 'self'): Promise<number | undefined> {
	const text = await readFile(`/proc/${pid}/oom_score_adj`, 'utf8').catch(() => undefined);
	return text === undefined ? undefined : Number(text);
}
