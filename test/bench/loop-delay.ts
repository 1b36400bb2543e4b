/**
 * Loaded into the daemon (and the bare server beside it) by NODE_OPTIONS: at SIGUSR2 it writes the event loop's delays since the last time, in ms,
 * to $KUBELING_BENCH_DELAY, and starts anew. In the worker that commits it writes down when each commit was durable, to $KUBELING_BENCH_COMMITS.
 */
import { openSync, writeFileSync, writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const delays = process.env['KUBELING_BENCH_DELAY'];
const commits = process.env['KUBELING_BENCH_COMMITS'];

if (isMainThread && delays !== undefined) {
	const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	delay.enable();
	process.on('SIGUSR2', () => {
		const ms = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
		writeFileSync(delays, JSON.stringify({ p99: ms(delay.percentile(99)), p999: ms(delay.percentile(99.9)), max: ms(delay.max) }));
		delay.reset();
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
