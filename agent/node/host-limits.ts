/** What this machine lacks or has too much of, told once as events about the node. */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { cgroupVersion } from '../../host/cgroups.ts';
import { tmpfsStaysInMemory } from '../../host/tmpfs.ts';
import { parseResolvConf, resolvConfFault } from '../network-identity/dns.ts';

const CGROUP_V1 =
	'cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/sig-node/5573-remove-cgroup-v1';

export interface HostLimitsDeps {
	readonly event: (type: 'Warning', reason: string, message: string) => void;
	readonly log: Log;
	readonly swapBytes: number;
	/** Empty where pods are to have no names from the node. */
	readonly resolvConf: string;
	readonly clusterDomain: string;
}

/** Upstream refuses cgroup v1 and swap by default; this agent runs and says so. */
export async function sayHostLimits({ event, log, swapBytes, resolvConf, clusterDomain }: HostLimitsDeps): Promise<void> {
	if ((await cgroupVersion()) === 1) event('Warning', 'CgroupV1', CGROUP_V1);
	if (resolvConf !== '') {
		const fault = await readFile(resolvConf, 'utf8').then(
			(text) => resolvConfFault(resolvConf, parseResolvConf(text), clusterDomain),
			(error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? `open ${resolvConf}: no such file or directory` : messageOf(error)),
		);
		if (fault !== undefined) event('Warning', 'CheckLimitsForResolvConf', fault);
	}
	if (swapBytes === 0) return;
	log.info('this machine has swap; containers may be swapped out', { swapBytes });
	const message =
		'The tmpfs noswap option is not supported. Memory-backed volumes (e.g. secrets, emptyDirs, etc.) might be swapped to disk and should no longer be considered secure.';
	if (!(await tmpfsStaysInMemory())) event('Warning', 'PossibleMemoryBackedVolumesOnDisk', message);
}
