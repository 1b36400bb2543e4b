/** What /metrics/cadvisor tells of one control group, in plain numbers. Pure but for the files that it is given to read. */
import { readDetails, readPressures, type DeviceIo, type Pressures } from '../../host/cgroup-details.ts';
import { readSpec, type CgroupSpec } from '../../host/cgroup-spec.ts';
import { readProcesses, readUsage, type CgroupPaths } from '../../host/cgroups.ts';
import { readOnce } from '../../host/small-file.ts';
import type { ContainerUsage } from '../runtime/runtime.ts';

export interface NamedDeviceIo extends DeviceIo {
	/** "/dev/vda"; empty where the kernel has no name. */
	readonly name?: string;
}

/** What is not known is left out. */
export interface GroupFigures {
	readonly cpuNanos?: number | undefined;
	readonly userNanos?: number;
	readonly systemNanos?: number;
	readonly periods?: number;
	readonly throttledPeriods?: number;
	readonly throttledNanos?: number;
	readonly burstPeriods?: number;
	readonly burstNanos?: number;
	readonly cacheBytes?: number;
	readonly rssBytes?: number | undefined;
	readonly kernelBytes?: number;
	readonly mappedFileBytes?: number;
	readonly swapBytes?: number | undefined;
	readonly limitHits?: number;
	readonly memoryBytes?: number | undefined;
	readonly maxMemoryBytes?: number;
	readonly workingSetBytes?: number | undefined;
	readonly activeFileBytes?: number;
	readonly inactiveFileBytes?: number;
	readonly ownPageFaults?: number;
	readonly ownMajorPageFaults?: number;
	readonly pageFaults?: number | undefined;
	readonly majorPageFaults?: number | undefined;
	readonly oomKills?: number;
	readonly threads?: number;
	readonly devices?: readonly NamedDeviceIo[];
	readonly pressures?: Pressures;
	readonly spec?: CgroupSpec;
}

/** Takes some tens of microseconds; whoever reads many groups yields in between. */
export function figuresOfGroup(groups: CgroupPaths): GroupFigures {
	const read = readOnce();
	const usage = readUsage(groups, read);
	const details = readDetails(groups, read);
	return {
		cpuNanos: Number(usage.cpuNanos),
		userNanos: Number(details.cpuUserNanos),
		systemNanos: Number(details.cpuSystemNanos),
		periods: Number(details.periods),
		throttledPeriods: Number(details.throttledPeriods),
		throttledNanos: Number(details.throttledNanos),
		burstPeriods: Number(details.burstPeriods),
		burstNanos: Number(details.burstNanos),
		cacheBytes: Number(details.cacheBytes),
		rssBytes: Number(usage.rssBytes),
		kernelBytes: Number(details.kernelBytes),
		mappedFileBytes: Number(details.mappedFileBytes),
		swapBytes: Number(usage.swapBytes),
		limitHits: Number(details.limitHits),
		memoryBytes: Number(usage.memoryBytes),
		maxMemoryBytes: Number(details.maxUsageBytes),
		workingSetBytes: Number(usage.workingSetBytes),
		activeFileBytes: Number(details.activeFileBytes),
		inactiveFileBytes: Number(details.inactiveFileBytes),
		ownPageFaults: Number(details.ownPageFaults),
		ownMajorPageFaults: Number(details.ownMajorPageFaults),
		pageFaults: Number(usage.pageFaults),
		majorPageFaults: Number(usage.majorPageFaults),
		oomKills: Number(details.oomKills),
		threads: Number(readProcesses(groups, read)),
		devices: details.devices,
		pressures: readPressures(groups),
		spec: readSpec(groups, read),
	};
}

/** What the runtime says of a container whose group is not below its pod's. */
export function figuresOfUsage(usage: ContainerUsage): GroupFigures {
	const { cpuNanos, rssBytes, swapBytes, memoryBytes, workingSetBytes, pageFaults, majorPageFaults } = usage;
	return { cpuNanos, rssBytes, swapBytes, memoryBytes, workingSetBytes, pageFaults, majorPageFaults };
}
