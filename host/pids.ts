/** How many processes and threads there may be, and how many there are. */
import { readFile } from 'node:fs/promises';

export interface PidStats {
	readonly limit: number;
	readonly running: number;
}

/** Pure: the texts of /proc/sys/kernel/pid_max and /proc/loadavg, whose fourth field is "running/existing". */
export function parsePids(pidMax: string, loadAverage: string): PidStats {
	const existing = /\s\d+\/(\d+)\s/.exec(loadAverage)?.[1];
	return { limit: Number(pidMax.trim()) || 0, running: Number(existing ?? 0) };
}

export async function pidStats(): Promise<PidStats> {
	return parsePids(...(await Promise.all([readFile('/proc/sys/kernel/pid_max', 'utf8'), readFile('/proc/loadavg', 'utf8')])));
}
