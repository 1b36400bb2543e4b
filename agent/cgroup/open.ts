/** The control groups of this node's pods, as its runtime and its configuration want them. */
import { codeOf } from '../../base/errors.ts';
import { CgroupTree } from '../../host/cgroup-tree.ts';
import { memoryInfo } from '../../host/memory.ts';
import type { Log } from '../../base/log.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentOptions } from '../options.ts';
import type { ResourceRules, Runtime } from '../runtime/runtime.ts';
import { PodGroups } from './pod-groups.ts';
import { swapRules } from './swap.ts';

export interface OpenGroups {
	readonly groups: PodGroups;
	/** How containers' requests and limits become those of the kernel. */
	readonly rules: ResourceRules;
	/** The runtime has no RuntimeConfig. */
	readonly runtimeIsOld: boolean;
}

export async function openGroups(
	options: AgentOptions,
	runtime: Runtime,
	log: Log,
	signal: AbortSignal,
	tree?: CgroupTree,
): Promise<OpenGroups> {
	const { resources } = settingsIn(options);
	let runtimeIsOld = false;
	const unsaid = (error: unknown): undefined => {
		runtimeIsOld = codeOf(error) === 'Unimplemented';
	};
	const [host, told] = await Promise.all([tree ?? CgroupTree.open(), runtime.cgroupDriver(signal).catch(unsaid)]);
	const { cgroupsPerQos, cpuQuota, cpuPeriodUs, podPidsLimit, singleProcessOomKill, swapBehavior } = resources;
	const root = resources.cgroupRoot ?? options.cgroupParent;
	const given = { tree: host, driver: told ?? resources.cgroupDriver, root, rules: { cpuQuota, cpuPeriodUs, podPidsLimit }, log };
	const oomGroup = host.version === 2 && !singleProcessOomKill;
	const groups = cgroupsPerQos ? await PodGroups.open(given) : PodGroups.off(given);
	const swap = await swapRules(host, swapBehavior, (await memoryInfo()).swapTotalBytes);
	return { groups, rules: { cpuQuota, cpuPeriodUs, oomGroup, swap }, runtimeIsOld };
}
