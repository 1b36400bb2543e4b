/**
 * Loaded into the daemon (and the bare server beside it) by NODE_OPTIONS: at SIGUSR2 it answers what the process is asked in $KUBELING_BENCH_ASK, in the
 * file beside it (`.answer`): `turns` are the event loop's since the last time, those under a steady load and those of a rush; `steady` and `rush` say which
 * of them begins; `memory` is what is in use once all garbage is gone. In the worker that commits it writes down when each commit was durable, to
 * $KUBELING_BENCH_COMMITS.
 */
import { openSync, readFileSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const ask = process.env['KUBELING_BENCH_ASK'];
const commits = process.env['KUBELING_BENCH_COMMITS'];

/** Of all turns under it, ms. */
class Load {
	/** By the clock, beyond the tick. */
	readonly late: number[] = [];
	/** At work: with the processor, or in a system call that does not come back. */
	readonly busy: number[] = [];

	taken(): { readonly delay: number; readonly busy: number } {
		return { delay: most(this.late.splice(0)), busy: most(this.busy.splice(0)) };
	}
}

/** p99.9. */
function most(all: number[]): number {
	all.sort((a, b) => b - a);
	return all[Math.floor(all.length / 1000)] ?? 0;
}

/** Ticks every millisecond: how late the loop turns, whoever had the processor; and how long it was at work itself between two turns. */
class Turns {
	readonly #loads = { steady: new Load(), rush: new Load() };
	#load = this.#loads.steady;
	#before = moment();

	constructor() {
		setInterval(() => {
			const [now, before] = [moment(), this.#before];
			this.#load.late.push(Math.max(0, now.clock - before.clock - RESOLUTION_MS));
			this.#load.busy.push(Math.max(now.thread - before.thread, now.active - before.active - (now.waited - before.waited)));
			this.#before = now;
		}, RESOLUTION_MS).unref();
	}

	begin(load: 'steady' | 'rush'): void {
		this.#load = this.#loads[load];
	}

	/** What the measurement itself takes is nobody's turn. */
	without<T>(work: () => T): T {
		const done = work();
		this.#before = moment();
		return done;
	}

	taken(): unknown {
		return { ...this.#loads.steady.taken(), rush: this.#loads.rush.taken() };
	}
}

interface Moment {
	readonly clock: number;
	/** The processor's time that the thread has had. */
	readonly thread: number;
	/** The loop was not waiting for anything to come. */
	readonly active: number;
	/** The thread could have run, but others had the processors. */
	readonly waited: number;
}

const waits = isMainThread && ask !== undefined ? openSync('/proc/self/schedstat', 'r') : undefined;
const text = Buffer.alloc(64);

/** By itself a thread's time is as of the last tick (4 ms at 250 Hz) or switch; the system brings it up to date when the process's is asked for. */
function moment(): Moment {
	process.cpuUsage();
	const { user, system } = process.threadCpuUsage();
	const { active } = performance.eventLoopUtilization();
	// Time with a processor, time without, how often: nanoseconds (Documentation/scheduler/sched-stats.rst)
	const read = waits === undefined ? 0 : readSync(waits, text, 0, text.length, 0);
	const waited = Number(text.toString('latin1', 0, read).split(' ')[1] ?? 0) / 1e6;
	return { clock: performance.now(), thread: (user + system) / 1000, active, waited };
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

if (isMainThread && ask !== undefined) {
	const turns = new Turns();
	const answers: Readonly<Record<string, () => unknown>> = {
		turns: () => turns.taken(),
		steady: () => turns.begin('steady'),
		rush: () => turns.begin('rush'),
		memory: () => turns.without(memory),
	};
	process.on('SIGUSR2', () => {
		const answer = answers[readFileSync(ask, 'utf8')]?.() ?? {};
		writeFileSync(`${ask}.new`, JSON.stringify(answer));
		renameSync(`${ask}.new`, `${ask}.answer`);
	});
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
