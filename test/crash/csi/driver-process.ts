/**
 * A driver in a process of its own, so that it can die: `node driver-process.ts OPTIONS STEPS [COUNT]`, says "ready" to its parent. At the first of the
 * named steps, or after so many of any name, it tells the parent which one it is and kills itself.
 */
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { createCsiDriver, type CsiOptions } from '../../../csi/driver.ts';
import type { Step, Steps } from '../../../csi/steps.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as CsiOptions;
const deadly = new Set(JSON.parse(process.argv[3] ?? '[]') as Step[]);
const last = Number(process.argv[4] ?? Infinity);
let count = 0;
const steps: Steps = {
	async done(step) {
		if (!deadly.has(step) && ++count < last) return;
		await new Promise<void>((told) => process.send?.({ step }, () => told()));
		process.kill(process.pid, 'SIGKILL');
		await new Promise(() => {}); // nothing goes on until the signal is here
	},
};
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('disconnect', () => stop.abort());
const log = createLog({ level: 'warn' });
await createCsiDriver(options, { clock: realClock, log, metrics: createMetrics(), steps }).run(
	stop.signal,
	() => void process.send?.('ready'),
);
process.disconnect?.();
