/** A shim in a process of its own, so that it can be killed: `node shim-process.ts OPTIONS`, says "ready" to its parent. */
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { createShim, type ShimOptions } from '../../../cri/shim.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as ShimOptions;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('disconnect', () => stop.abort());
const log = createLog({ level: 'warn' });
await createShim(options, { clock: realClock, log, metrics: createMetrics() }).run(stop.signal, () => void process.send?.('ready'));
process.disconnect?.();
