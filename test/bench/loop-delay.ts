/**
 * Loaded into the daemon by NODE_OPTIONS: at SIGUSR2 it writes the event loop's delays since the last time, in ms, to $KUBELING_BENCH_DELAY,
 * and starts anew.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const file = process.env['KUBELING_BENCH_DELAY'];

if (isMainThread && file !== undefined) {
	const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	delay.enable();
	process.on('SIGUSR2', () => {
		const ms = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
		writeFileSync(file, JSON.stringify({ p99: ms(delay.percentile(99)), p999: ms(delay.percentile(99.9)), max: ms(delay.max) }));
		delay.reset();
	});
}
