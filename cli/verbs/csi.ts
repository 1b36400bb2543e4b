/** `kubeling csi`: the storage driver for any kubelet and any sidecars, from flags and a file. */
import { realClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { createLog, type LogLevel } from '../../base/log.ts';
import { runCsiAlone, type CsiAlone } from '../../cluster/csi-alone.ts';
import { readPartConfig } from './part.ts';

export interface CsiFlags {
	readonly config?: string;
	readonly role?: string;
	readonly listen?: string;
	readonly dataDir?: string;
	readonly driverName?: string;
	readonly nodeId?: string;
	readonly maxVolumes?: string;
	readonly targetRoots?: string;
	readonly backends?: string;
	readonly registrationDir?: string;
	readonly csi113?: boolean;
	readonly logLevel: string;
}

export async function csi(flags: CsiFlags): Promise<void> {
	const log = createLog({ level: flags.logLevel as LogLevel });
	const stop = new AbortController();
	const onStop = (): void => stop.abort();
	process.once('SIGINT', onStop).once('SIGTERM', onStop);
	const file = flags.config === undefined ? {} : await readPartConfig(flags.config);
	const onReady: CsiAlone['onReady'] = ({ socketPath, role, dataDir }) =>
		log.info('serving CSI', { socket: socketPath, role, pool: dataDir });
	await runCsiAlone({ clock: realClock, log, config: { ...file, ...configOf(flags) }, onReady }, stop.signal);
}

/** Pure: what the flags say; they come before the file. */
export function configOf(flags: CsiFlags): CsiAlone['config'] {
	const { role, maxVolumes } = flags;
	if (maxVolumes !== undefined && !/^\d{1,6}$/.test(maxVolumes))
		throw new AppError('InvalidArgument', `--max-volumes "${maxVolumes}" is no number`);
	const given = {
		role,
		socketPath: flags.listen?.replace(/^unix:(\/\/)?/, ''),
		dataDir: flags.dataDir,
		driverName: flags.driverName,
		nodeId: flags.nodeId,
		maxVolumesPerNode: maxVolumes === undefined ? undefined : Number(maxVolumes),
		targetRoots: flags.targetRoots?.split(','),
		backends: flags.backends?.split(','),
		registrationDir: flags.registrationDir,
		csi113: flags.csi113,
	};
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as CsiAlone['config'];
}
