/** Usage of whole pods: the sum of the pause container and the pod's containers, and the pod's network. */
import type { Clock } from '../../base/clock.ts';
import { type CgroupUsage, readUsage } from '../../host/cgroups.ts';
import { memoryInfo } from '../../host/memory.ts';
import type { PodSandboxStats } from '../proto.ts';
import type { ContainerRecord, SandboxRecord } from '../state/records.ts';
import type { Tracked } from '../state/state.ts';
import { containerStats, cpuUsage, groupOf, memoryUsage, networkUsage } from './container-stats.ts';

export async function sandboxStats(
	sandbox: Tracked<SandboxRecord>,
	containers: readonly Tracked<ContainerRecord>[],
	clock: Clock,
): Promise<PodSandboxStats> {
	const { record, live } = sandbox;
	const timestamp = BigInt(clock.now()) * 1_000_000n;
	const groups = await Promise.all([sandbox, ...containers].map((t) => groupOf(t.live)));
	const usages = await Promise.all(groups.flatMap((g) => (g === undefined ? [] : [readUsage(g)])));
	const total = usages.length === 0 ? undefined : usages.reduce(add);
	const { totalBytes } = await memoryInfo();
	return {
		attributes: { id: record.id, metadata: record.metadata, labels: record.config.labels, annotations: record.config.annotations },
		linux: {
			cpu: cpuUsage(total, timestamp),
			memory: memoryUsage(total, timestamp, BigInt(totalBytes)),
			network: live.state === 'running' && record.address !== undefined ? await networkUsage(live.pid, timestamp) : undefined,
			process: total === undefined ? undefined : { timestamp, processCount: { value: total.processes } },
			containers: await Promise.all(containers.map((c) => containerStats(c, clock))),
			io: undefined,
		},
		windows: undefined,
	};
}

function add(a: CgroupUsage, b: CgroupUsage): CgroupUsage {
	return {
		cpuNanos: a.cpuNanos + b.cpuNanos,
		memoryBytes: a.memoryBytes + b.memoryBytes,
		workingSetBytes: a.workingSetBytes + b.workingSetBytes,
		rssBytes: a.rssBytes + b.rssBytes,
		memoryLimitBytes: undefined,
		swapBytes: a.swapBytes + b.swapBytes,
		pageFaults: a.pageFaults + b.pageFaults,
		majorPageFaults: a.majorPageFaults + b.majorPageFaults,
		processes: a.processes + b.processes,
	};
}
