/** Processes found by their arguments, so that no record of them can be missing, and ended. */
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';

const POLL_MS = 20;

/** Resolves once none is left. @param graceMs what has not stopped after so long is killed */
export async function endAll(find: () => Promise<readonly number[]>, graceMs: number, clock: Clock): Promise<void> {
	const until = clock.monotonic() + graceMs;
	const told = new Set<number>();
	for (;;) {
		const left = await find();
		if (left.length === 0) return;
		const late = clock.monotonic() > until;
		for (const pid of left) if (late || !told.has(pid)) send(pid, late ? 'SIGKILL' : 'SIGTERM');
		for (const pid of left) told.add(pid);
		await clock.sleep(POLL_MS);
	}
}

/** But for this process. @param is told its arguments; a zombie has none */
export async function processesWith(is: (words: readonly string[]) => boolean): Promise<readonly number[]> {
	const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
	const ours = await Promise.all(
		pids.map(async (pid) => pid !== process.pid && is((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'))),
	);
	return pids.filter((_, i) => ours[i] === true);
}

/** One that is gone already is fine. */
export function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
