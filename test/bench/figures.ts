/** Figures of benchmarks: percentiles, memory and CPU of a process, and tables that people read. */
import { readFile, readdir } from 'node:fs/promises';

/** The value below which the share `p` (0..1) of all lies. */
export function percentile(values: readonly number[], p: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export function show(value: number): string {
	return Number.isNaN(value) ? '-' : value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}

/** What a figure, or its ratio to the floor, should be at most or at least. */
export interface Goal {
	readonly of: 'value' | 'ratio';
	readonly atMost?: number;
	readonly atLeast?: number;
}

export interface Figure {
	readonly name: string;
	readonly value: number;
	/** The same of the floor. */
	readonly floor?: number | undefined;
	readonly goals?: readonly Goal[];
}

/** Prints figures beside their floors and goals; returns how many miss one. */
export function printFigures(figures: readonly Figure[]): number {
	let missed = 0;
	const rows = figures.map(({ name, value, floor, goals = [] }) => {
		const ratio = floor === undefined ? Number.NaN : value / floor;
		const met = goals.every((goal) => isMet(goal, goal.of === 'ratio' ? ratio : value));
		if (!met) missed++;
		const verdict = goals.length === 0 ? '' : met ? 'PASS' : 'MISS';
		const shown = floor === undefined ? ['', ''] : [show(floor), ratio.toFixed(2)];
		return [name, show(value), ...shown, goals.map(goalText).join(', '), verdict];
	});
	printTable(['figure', 'kubeling', 'floor', 'ratio', 'goal', ''], rows);
	return missed;
}

function isMet({ atMost = Infinity, atLeast = -Infinity }: Goal, value: number): boolean {
	return value <= atMost && value >= atLeast;
}

function goalText({ of, atMost, atLeast }: Goal): string {
	const limit = atMost === undefined ? `>= ${atLeast}` : `<= ${atMost}`;
	return of === 'ratio' ? `${limit} x` : limit;
}

/** Prints rows under a head, columns aligned. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
	const widths = head.map((h, i) => Math.max(h.length, ...rows.map((r) => (r[i] ?? '').length)));
	const line = (cells: readonly string[]): string =>
		cells
			.map((c, i) => (i === 0 ? c.padEnd(widths[i] ?? 0) : c.padStart(widths[i] ?? 0)))
			.join('  ')
			.trimEnd();
	console.log(line(head));
	for (const row of rows) console.log(line(row));
}

/** Proportional set size of a process and its children, bytes (proc_pid_smaps(5)). */
export async function pssBytes(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
	const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim().split(' ').filter(Boolean);
	const own = Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
	const rest = await Promise.all(children.map((c) => pssBytes(Number(c)).catch(() => 0)));
	return own + rest.reduce((a, b) => a + b, 0);
}

/**
 * The most that it was since the process began, as the system itself keeps it (VmHWM): to read PSS over and over while there is a load would hold up
 * whatever maps memory in the process. What has gone since then is taken to have been its own.
 */
export async function peakPssBytes(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/status`, 'utf8');
	const [most = 0, now = 0] = ['VmHWM', 'VmRSS'].map(
		(name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024,
	);
	return (await pssBytes(pid)) + most - now;
}

/** CPU time that the threads of a process have used so far, ms: what its ticks of 10 ms (proc_pid_stat(5)) round away counts, too. */
export async function cpuMs(pid: number): Promise<number> {
	const threads = await readdir(`/proc/${pid}/task`);
	const nanos = await Promise.all(
		threads.map(async (id) => Number((await readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8').catch(() => '0')).split(' ')[0])),
	);
	return nanos.reduce((a, b) => a + b, 0) / 1e6;
}
