/**
 * Loaded into the daemon (and the bare server beside it) by NODE_OPTIONS: at SIGUSR2 it answers what the process is asked in $KUBELING_BENCH_ASK, in the
 * file beside it (`.answer`): `turns` are the event loop's since the last time, `memory` is what is in use once all garbage is gone. In the worker that
 * commits it writes down when each commit was durable, to $KUBELING_BENCH_COMMITS.
 */
import { openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const ask = process.env['KUBELING_BENCH_ASK'];
const commits = process.env['KUBELING_BENCH_COMMITS'];

if (isMainThread && ask !== undefined) {
	const turns = watchTurns();
	process.on('SIGUSR2', () => {
		const answer = readFileSync(ask, 'utf8') === 'memory' ? memory() : turns();
		writeFileSync(`${ask}.new`, JSON.stringify(answer));
		renameSync(`${ask}.new`, `${ask}.answer`);
	});
}

/** How late the loop turns, whoever had the processor; and how long it took the processor itself between two turns. p99.9, ms. */
function watchTurns(): () => { readonly delay: number; readonly busy: number } {
	const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	delay.enable();
	let busy: number[] = [];
	let before = threadMs();
	setInterval(() => {
		const now = threadMs();
		busy.push(now - before);
		before = now;
	}, RESOLUTION_MS).unref();
	return () => {
		const longest = busy.toSorted((a, b) => b - a);
		const turns = {
			delay: Math.max(0, delay.percentile(99.9) / 1e6 - RESOLUTION_MS),
			busy: longest[Math.floor(longest.length / 1000)] ?? 0,
		};
		busy = [];
		delay.reset();
		return turns;
	};
}

/** By itself a thread's time is as of the last tick (4 ms at 250 Hz) or switch; the system brings it up to date when the process's is asked for. */
function threadMs(): number {
	process.cpuUsage();
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
}

/** Bytes of the heap and of what hangs on it outside. */
function memory(): { readonly used: number } {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	// What the first one lets go is finalized, which lets go of more.
	for (let i = 0; i < 3; i++) collect();
	const { heapUsed, external } = process.memoryUsage();
	return { used: heapUsed + external };
}

if (!isMainThread && commits !== undefined) {
	const file = openSync(commits, 'a');
	const time = new BigUint64Array(1);
	const exec = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'exec')?.value as (sql: string) => void;
	DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
		exec.call(this, sql);
		if (sql !== 'COMMIT') return;
		time[0] = process.hrtime.bigint();
		writeSync(file, new Uint8Array(time.buffer));
	};
}
