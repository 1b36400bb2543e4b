/** The CSI driver on its own, as `kubeling csi` runs it for a kubelet or sidecars of any kind: defaults where nothing is told. */
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { runServices } from '../base/service.ts';
import { createCsiDriver, type CsiOptions } from '../csi/driver.ts';
import { VERSION } from './version.ts';

/** What `kubeling csi` does without any flag. */
export const CSI_DEFAULTS: CsiOptions = {
	driverName: 'local.csi.kubeling.dev',
	version: VERSION,
	role: 'all',
	socketPath: '/run/kubeling-csi/csi.sock',
	dataDir: '/var/lib/kubeling-csi',
	runDir: '/run/kubeling-csi/pools',
	nodeId: hostname(),
	maxVolumesPerNode: 0,
	targetRoots: [],
};

export interface CsiAlone {
	/** Flags and file; what they do not say is as in CSI_DEFAULTS. */
	readonly config: Partial<CsiOptions>;
	readonly clock: Clock;
	readonly log: Log;
	onReady(options: CsiOptions): void;
}

/** Serves until the signal aborts. What is mounted stays. */
export async function runCsiAlone({ config, clock, log, onReady }: CsiAlone, signal: AbortSignal): Promise<void> {
	const unknown = Object.keys(config).find((key) => !KEYS.has(key));
	if (unknown !== undefined) throw new AppError('InvalidArgument', `Unknown setting "${unknown}"; there is ${[...KEYS].join(', ')}`);
	const options: CsiOptions = { ...CSI_DEFAULTS, ...config };
	const driver = createCsiDriver(options, { clock, log, metrics: createMetrics() });
	await runServices([driver], signal, () => onReady(options));
}

const KEYS = new Set([...Object.keys(CSI_DEFAULTS), 'backends', 'csi113', 'registrationDir']);
