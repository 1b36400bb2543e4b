/** Processor time and count, from /proc. */
import { readFile } from 'node:fs/promises';

/** Ticks a second of /proc's figures: USER_HZ is 100 on every architecture served. */
export const USER_HZ = 100;

export interface CpuTimes {
	/** Core-nanoseconds spent busy since boot, over all processors. */
	readonly busyNanos: number;
	readonly idleNanos: number;
	readonly bootedAtMs: number;
}

/** Pure: the text of /proc/stat. Guest time is part of user time already. */
export function parseStat(text: string): CpuTimes {
	const total = /^cpu\s+(.*)$/m.exec(text)?.[1] ?? '';
	const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = total.trim().split(/\s+/).map(Number);
	const nanos = 1e9 / USER_HZ;
	return {
		busyNanos: (user + nice + system + irq + softirq + steal) * nanos,
		idleNanos: (idle + iowait) * nanos,
		bootedAtMs: Number(/^btime (\d+)$/m.exec(text)?.[1] ?? 0) * 1000,
	};
}

export async function cpuTimes(): Promise<CpuTimes> {
	return parseStat(await readFile('/proc/stat', 'utf8'));
}

/** Seconds since boot, from /proc/uptime. */
export async function uptimeSeconds(): Promise<number> {
	return Number.parseFloat(await readFile('/proc/uptime', 'utf8'));
}
