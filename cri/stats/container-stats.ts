/** Usage of containers and pods, read from cgroup and /proc files: no call to the engine. */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { type CgroupPaths, type CgroupUsage, cgroupPathsOf, readUsage } from '../../host/cgroups.ts';
import { memoryInfo } from '../../host/memory.ts';
import type { ContainerStats, CpuUsage, MemoryUsage, NetworkInterfaceUsage, NetworkUsage } from '../proto.ts';
import type { Live } from '../state/live.ts';
import type { ContainerRecord } from '../state/records.ts';
import type { Tracked } from '../state/state.ts';

/** The group of a running process; undefined where it does not run (any more). */
export async function groupOf(live: Live): Promise<CgroupPaths | undefined> {
	return live.state === 'running' ? cgroupPathsOf(live.pid).catch(() => undefined) : undefined;
}

/** CRI's statistics of one container; figures are missing where it does not run. */
export async function containerStats(container: Tracked<ContainerRecord>, clock: Clock): Promise<ContainerStats> {
	const { record, live } = container;
	const group = await groupOf(live);
	const usage = group === undefined ? undefined : await readUsage(group);
	const timestamp = BigInt(clock.now()) * 1_000_000n;
	const { totalBytes } = await memoryInfo();
	return {
		attributes: { id: record.id, metadata: record.config.metadata, labels: record.config.labels, annotations: record.config.annotations },
		cpu: cpuUsage(usage, timestamp),
		memory: memoryUsage(usage, timestamp, BigInt(totalBytes)),
		writableLayer: { timestamp, fsId: undefined, usedBytes: { value: 0n }, inodesUsed: { value: 0n } },
		swap: usage === undefined ? undefined : { timestamp, swapAvailableBytes: undefined, swapUsageBytes: { value: usage.swapBytes } },
		io: undefined,
	};
}

export function cpuUsage(usage: CgroupUsage | undefined, timestamp: bigint): CpuUsage | undefined {
	return usage === undefined
		? undefined
		: { timestamp, usageCoreNanoSeconds: { value: usage.cpuNanos }, usageNanoCores: undefined, psi: undefined };
}

export function memoryUsage(usage: CgroupUsage | undefined, timestamp: bigint, machineBytes: bigint): MemoryUsage | undefined {
	if (usage === undefined) return undefined;
	const limit = usage.memoryLimitBytes ?? machineBytes;
	return {
		timestamp,
		workingSetBytes: { value: usage.workingSetBytes },
		availableBytes: { value: limit > usage.workingSetBytes ? limit - usage.workingSetBytes : 0n },
		usageBytes: { value: usage.memoryBytes },
		rssBytes: { value: usage.rssBytes },
		pageFaults: { value: usage.pageFaults },
		majorPageFaults: { value: usage.majorPageFaults },
		psi: undefined,
	};
}

/** A pod's interfaces, from its pause process's view of /proc/net/dev. */
export async function networkUsage(pid: number, timestamp: bigint): Promise<NetworkUsage | undefined> {
	const text = await readFile(`/proc/${pid}/net/dev`, 'utf8').catch(() => undefined);
	if (text === undefined) return undefined;
	const interfaces = parseNetDev(text).filter((i) => i.name !== 'lo');
	return { timestamp, defaultInterface: interfaces.find((i) => i.name === 'eth0') ?? interfaces[0], interfaces };
}

/** Pure: /proc/net/dev. */
export function parseNetDev(text: string): NetworkInterfaceUsage[] {
	return text.split('\n').flatMap((line) => {
		const match = /^\s*([^:\s]+):\s*(.*)$/.exec(line);
		if (match === null) return [];
		const fields = (match[2] as string).trim().split(/\s+/).map(BigInt);
		const value = (index: number): { value: bigint } => ({ value: fields[index] ?? 0n });
		return [{ name: match[1] as string, rxBytes: value(0), rxErrors: value(2), txBytes: value(8), txErrors: value(10) }];
	});
}
