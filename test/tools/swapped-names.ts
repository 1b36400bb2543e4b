/** Names that somebody swaps for other things, as fast as it can, while the code under test looks at them. */
import { spawn } from 'node:child_process';
import { realClock } from '../../base/clock.ts';

/** How often each race is run: few in CI, many in the campaign. */
export function racesOf(few: number): number {
	return Number(process.env['SYMLINK_RACES'] ?? few);
}

/** How long a test of so many may take, on a machine that is busy. */
export function raceMs(few: number): number {
	return Math.max(300_000, racesOf(few) * 300);
}

/** Puts each of the things at the name "name" and back, until the test's process is gone; what the code under test makes there in between goes aside. */
const SWAPPER = `
const { renameSync } = require('node:fs');
const [folder, ...things] = process.argv.slice(1);
const parent = process.ppid;
process.chdir(folder);
process.stdout.write('up');
let aside = 0;
const swap = (from, to) => { try { renameSync(from, to); } catch { try { renameSync(to, 'aside' + aside++); renameSync(from, to); } catch {} } };
while (process.ppid === parent) for (const thing of things) { swap(thing, 'name'); swap('name', thing); }
`;

/** @param things files of any kind in the folder, by their names; they are back at them when it has ended, but for one that may be at "name" */
export async function swapping(folder: string, things: readonly string[]): Promise<AsyncDisposable> {
	const swapper = spawn(process.execPath, ['-e', SWAPPER, folder, ...things], { stdio: ['ignore', 'pipe', 'inherit'] });
	await new Promise((resolve) => swapper.stdout.once('data', resolve));
	return {
		async [Symbol.asyncDispose]() {
			const ended = new Promise((resolve) => swapper.once('exit', resolve));
			if (swapper.kill('SIGKILL')) await ended;
		},
	};
}

const STUCK_MS = 20_000;

/** "stuck" where the work waits for what does not come; what it threw goes unsaid. */
export async function unlessStuck<T>(work: Promise<T>): Promise<T | 'failed' | 'stuck'> {
	const stop = new AbortController();
	const stuck = realClock.sleep(STUCK_MS, stop.signal).then(
		() => 'stuck' as const,
		() => 'stuck' as const,
	);
	try {
		return await Promise.race([work.catch(() => 'failed' as const), stuck]);
	} finally {
		stop.abort();
	}
}
