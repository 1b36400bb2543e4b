/** `kubeling cri`: the CRI shim for any kubelet, from flags and a file; SIGHUP reads the file again. */
import { realClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { createLog, type LogLevel } from '../../base/log.ts';
import { CRI_METRICS, runCriAlone } from '../../cluster/cri-alone.ts';
import { becomeSmall } from '../become-small.ts';
import { SHIM_FLAGS } from '../../cluster/node-flags.ts';
import { readPartConfig } from './part.ts';

export interface CriFlags {
	readonly config?: string;
	readonly listen?: string;
	readonly dockerHost?: string;
	readonly dataDir?: string;
	readonly name?: string;
	readonly podCidr?: string;
	readonly dualStack?: boolean;
	readonly network?: string;
	readonly cniConfDir?: string;
	readonly cniBinDir?: string;
	readonly cgroupParent?: string;
	readonly streamingAddress?: string;
	readonly streamingCertFile?: string;
	readonly streamingKeyFile?: string;
	readonly metricsAddress?: string;
	readonly logLevel: string;
}

export async function cri(flags: CriFlags): Promise<void> {
	becomeSmall(SHIM_FLAGS);
	const log = createLog({ level: flags.logLevel as LogLevel });
	const stop = new AbortController();
	const onStop = (): void => stop.abort();
	process.once('SIGINT', onStop).once('SIGTERM', onStop);
	process.once('disconnect', onStop); // under a parent the channel's end means that the parent is gone
	let reload: () => void = () => {};
	process.on('SIGHUP', () => reload());
	try {
		await runCriAlone(
			{
				clock: realClock,
				log,
				config: async () => ({
					...(flags.config === undefined ? { metricsAddress: CRI_METRICS } : await readPartConfig(flags.config)),
					...configOf(flags),
				}),
				reloadAsked: () => new Promise((resolve) => (reload = resolve)),
				onReady: ({ socketPath, metricsAddress }) => {
					log.info('serving CRI', { socket: socketPath, metrics: metricsAddress });
					process.send?.('ready');
				},
			},
			stop.signal,
		);
	} finally {
		if (process.connected) process.disconnect(); // an open channel would keep a failed process alive
	}
}

/** Pure: what the flags say; they come before the file. */
export function configOf(flags: CriFlags): object {
	const { streamingCertFile: certFile, streamingKeyFile: keyFile } = flags;
	if ((certFile === undefined) !== (keyFile === undefined))
		throw new AppError('InvalidArgument', 'Of --streaming-cert-file and --streaming-key-file the other is missing');
	const given = {
		socketPath: flags.listen?.replace(/^unix:(\/\/)?/, ''),
		dockerHost: flags.dockerHost,
		dataDir: flags.dataDir,
		clusterName: flags.name,
		podSubnet: flags.podCidr,
		dualStack: flags.dualStack,
		network: flags.network,
		cniConfDir: flags.cniConfDir,
		cniBinDirs: flags.cniBinDir?.split(','),
		cgroupParent: flags.cgroupParent,
		streamingAddress: flags.streamingAddress === undefined ? undefined : hostPort('--streaming-address', flags.streamingAddress),
		streamingTls: certFile === undefined ? undefined : { certFile, keyFile },
		metricsAddress: flags.metricsAddress === undefined ? undefined : hostPort('--metrics-address', flags.metricsAddress),
	};
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function hostPort(flag: string, text: string): { host: string; port: number } {
	const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text);
	if (match === null) throw new AppError('InvalidArgument', `${flag} "${text}" is not HOST:PORT`);
	return { host: match[1] ?? (match[2] || '0.0.0.0'), port: Number(match[3]) };
}
