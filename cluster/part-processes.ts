/** Parts that outlived the process which ran them: found by their arguments, so that no record can be missing, and ended before anything else starts. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';

/** Where a part of its own finds its configuration; also what its process is recognised by. */
export function partConfigPath(dataDir: string, part: string): string {
	return join(dataDir, 'parts', `${part}.json`);
}

/** A part that lost its parent stops by itself; what has not after this long is killed. */
const GRACE_MS = 5000;
const POLL_MS = 20;

/** Resolves once no part of the folder's cluster runs. The caller holds the folder's lock, so none can be a live cluster's. */
export async function endPartsLeft(dataDir: string, clock: Clock): Promise<void> {
	const until = clock.monotonic() + GRACE_MS;
	for (let told = false; ; told = true) {
		const left = await partsLeft(dataDir);
		if (left.length === 0) return;
		const signal = !told ? 'SIGTERM' : clock.monotonic() > until ? 'SIGKILL' : undefined;
		for (const pid of left) if (signal !== undefined) send(pid, signal);
		await clock.sleep(POLL_MS);
	}
}

async function partsLeft(dataDir: string): Promise<readonly number[]> {
	const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
	const ours = await Promise.all(
		pids.map(async (pid) => isPartOf(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''), dataDir)),
	);
	return pids.filter((_, i) => ours[i] === true);
}

/** Pure. `cmdline` as in /proc: arguments that each end with NUL; a zombie has none. */
export function isPartOf(cmdline: string, dataDir: string): boolean {
	const words = cmdline.split('\0');
	const at = words.indexOf('--config');
	return at > 1 && words[at + 1] === partConfigPath(dataDir, words[at - 1] ?? '');
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
