/** /stats/summary: what the node and its pods use (stats/v1alpha1). Pure. */
import { timeOf } from '../../api/time.ts';
import type { FsStats } from '../../host/filesystem.ts';
import type { ContainerUsage, NetworkUsage, PodUsage, Usage } from '../runtime/runtime.ts';
import type { VolumeFigures } from '../volume/stats.ts';
import type { CpuRates } from './cpu-rates.ts';
import type { Figures } from './measure.ts';

export function summaryOf(
	nodeName: string,
	figures: Figures,
	rates: CpuRates,
	cpuAndMemoryOnly: boolean,
	volumes: ReadonlyMap<string, readonly VolumeFigures[]> = new Map(),
): object {
	const { node, pods, containers, sandboxes } = figures;
	const time = timeOf(node.at);
	const { memory } = node;
	const cpu = (id: string, usage: Usage): object | undefined =>
		usage.cpuNanos === undefined
			? undefined
			: {
					time: timeOf(usage.at),
					usageNanoCores: rates.observe(id, usage.cpuNanos, usage.at),
					usageCoreNanoSeconds: Math.round(usage.cpuNanos),
				};
	const container = (c: ContainerUsage): object => ({
		name: c.name,
		startTime: timeOf(containers.get(c.id)?.startedAt ?? c.at),
		cpu: cpu(c.id, c),
		memory: memoryOf(c),
		...(cpuAndMemoryOnly ? {} : { rootfs: rootfsOf(c, figures), swap: swapOf(c) }),
	});
	const pod = (p: PodUsage): object => ({
		podRef: { name: p.name, namespace: p.namespace, uid: p.uid },
		startTime: timeOf(sandboxes.get(p.uid)?.sandboxes[0]?.createdAt ?? p.at),
		containers: p.containers.map(container),
		cpu: cpu(p.uid, p),
		memory: memoryOf(p),
		...(cpuAndMemoryOnly
			? {}
			: {
					network: networkOf(p.interfaces, timeOf(p.at)),
					volume: volumesOf(volumes.get(p.uid), p.namespace),
					process_stats: p.processes === undefined ? undefined : { process_count: p.processes },
				}),
	});
	return {
		node: {
			nodeName,
			startTime: timeOf(node.bootedAt),
			cpu: { time, usageNanoCores: rates.observe('node', node.cpuNanos, node.at), usageCoreNanoSeconds: Math.round(node.cpuNanos) },
			memory: {
				time,
				availableBytes: memory.availableBytes,
				usageBytes: memory.totalBytes - memory.freeBytes,
				workingSetBytes: memory.totalBytes - memory.availableBytes,
			},
			...(cpuAndMemoryOnly
				? {}
				: {
						fs: fsOf(node.fs, time),
						runtime: node.imageFs === undefined ? undefined : { imageFs: fsOf(node.imageFs, time), containerFs: fsOf(node.imageFs, time) },
						swap: { time, swapAvailableBytes: memory.swapFreeBytes, swapUsageBytes: memory.swapTotalBytes - memory.swapFreeBytes },
					}),
		},
		pods: pods.map(pod),
	};
}

function memoryOf(usage: Usage): object {
	return {
		time: timeOf(usage.at),
		availableBytes: usage.availableBytes,
		usageBytes: usage.memoryBytes,
		workingSetBytes: usage.workingSetBytes,
		rssBytes: usage.rssBytes,
		pageFaults: usage.pageFaults,
		majorPageFaults: usage.majorPageFaults,
	};
}

function volumesOf(volumes: readonly VolumeFigures[] = [], namespace: string): object | undefined {
	if (volumes.length === 0) return undefined;
	return volumes.map(({ name, at, claim, abnormal, message: _, ...figures }) => ({
		time: timeOf(at),
		...figures,
		name,
		...(claim === undefined ? {} : { pvcRef: { name: claim, namespace } }),
		...(abnormal === undefined ? {} : { volumeHealthStats: { abnormal } }),
	}));
}

function rootfsOf(c: ContainerUsage, { node }: Figures): object {
	const { availableBytes, capacityBytes } = node.imageFs ?? node.fs;
	return { time: timeOf(c.at), availableBytes, capacityBytes, usedBytes: c.writableLayerBytes };
}

function swapOf(c: ContainerUsage): object | undefined {
	return c.swapBytes === undefined ? undefined : { time: timeOf(c.at), swapUsageBytes: c.swapBytes };
}

function networkOf(interfaces: readonly NetworkUsage[], time: string): object | undefined {
	return interfaces[0] === undefined ? undefined : { time, ...interfaces[0], interfaces };
}

function fsOf({ availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed }: FsStats, time: string): object {
	return { time, availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed };
}
