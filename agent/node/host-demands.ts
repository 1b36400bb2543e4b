/** What a configuration demands of the machine before the agent runs on it, in upstream's words. */
import { readFile, writeFile } from 'node:fs/promises';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { cgroupVersion } from '../../host/cgroups.ts';
import { runCommand } from '../../host/command.ts';
import type { NodeSettings } from '../config/node-settings.ts';

/** Upstream's kernel flags (container manager, setupKernelTunables). */
const KERNEL_FLAGS: readonly (readonly [flag: string, value: number])[] = [
	['vm/overcommit_memory', 1],
	['vm/panic_on_oom', 0],
	['kernel/panic', 10],
	['kernel/panic_on_oops', 1],
	['kernel/keys/root_maxkeys', 1_000_000],
	['kernel/keys/root_maxbytes', 25_000_000],
];

export interface Machine {
	readonly swapBytes: number;
	readonly cgroupVersion: 1 | 2;
	/** Of "vm/overcommit_memory"; undefined where there is none. */
	readonly kernelFlag: (name: string) => Promise<number | undefined>;
}

/** Why the agent does not run here; nothing when it may. */
export async function unmetDemands(settings: NodeSettings, machine: Machine): Promise<readonly string[]> {
	const faults: string[] = [];
	if (settings.failSwapOn && machine.swapBytes > 0)
		faults.push('running with swap on is not supported, please disable swap or set --fail-swap-on flag to false');
	if (settings.failCgroupV1 && machine.cgroupVersion === 1)
		faults.push(
			'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release',
		);
	if (settings.protectKernelDefaults)
		for (const [flag, expected] of KERNEL_FLAGS) {
			const actual = await machine.kernelFlag(flag);
			if (actual !== undefined && actual !== expected)
				faults.push(`invalid kernel flag: ${flag}, expected value: ${expected}, actual value: ${actual}`);
		}
	return faults;
}

/** Rejects with AppError FailedPrecondition; also gives this process its out-of-memory score and its limit of open files. */
export async function meetDemands(settings: NodeSettings, swapBytes: number, log: Log): Promise<void> {
	const kernelFlag = async (name: string): Promise<number | undefined> => {
		const text = await readFile(`/proc/sys/${name}`, 'utf8').catch(() => undefined);
		return text === undefined ? undefined : Number(text);
	};
	const faults = await unmetDemands(settings, { swapBytes, cgroupVersion: await cgroupVersion(), kernelFlag });
	if (faults.length > 0) throw new AppError('FailedPrecondition', faults.join('; '));
	const { oomScoreAdj, maxOpenFiles } = settings;
	if (maxOpenFiles !== undefined)
		await limitOpenFiles(process.pid, maxOpenFiles).catch((error: unknown) =>
			log.warn('cannot limit the open files of this process', { maxOpenFiles, reason: messageOf(error) }),
		);
	if (oomScoreAdj === undefined) return;
	await writeFile('/proc/self/oom_score_adj', String(oomScoreAdj)).catch((error: unknown) =>
		log.warn('cannot set the out-of-memory score of this process', { oomScoreAdj, reason: messageOf(error) }),
	);
}

/** Node.js has no setrlimit. */
export async function limitOpenFiles(pid: number, most: number): Promise<void> {
	await runCommand('prlimit', [`--pid=${pid}`, `--nofile=${most}:${most}`]);
}
