/** /stats/summary: what the node itself uses. */
import { timeOf } from '../../api/time.ts';
import { cpuTimes } from '../../host/cpu.ts';
import { fsStats } from '../../host/filesystem.ts';
import { memoryInfo } from '../../host/memory.ts';
import type { AgentContext } from '../context.ts';

export async function summary({ options, clock, runtime }: AgentContext): Promise<object> {
	const [cpu, memory, fs, pods] = await Promise.all([
		cpuTimes(),
		memoryInfo(),
		fsStats(options.rootDir),
		runtime.pods(new AbortController().signal),
	]);
	const time = timeOf(clock.now());
	return {
		node: {
			nodeName: options.nodeName,
			startTime: timeOf(cpu.bootedAtMs),
			cpu: { time, usageCoreNanoSeconds: Math.round(cpu.busyNanos) },
			memory: {
				time,
				availableBytes: memory.availableBytes,
				usageBytes: memory.totalBytes - memory.freeBytes,
				workingSetBytes: memory.totalBytes - memory.availableBytes,
			},
			fs: {
				time,
				availableBytes: fs.availableBytes,
				capacityBytes: fs.capacityBytes,
				usedBytes: fs.usedBytes,
				inodesFree: fs.inodesFree,
				inodes: fs.inodes,
				inodesUsed: fs.inodesUsed,
			},
		},
		pods: pods.map(({ name, namespace, uid, sandboxes, containers }) => ({
			podRef: { name, namespace, uid },
			startTime: timeOf(sandboxes[0]?.createdAt ?? clock.now()),
			containers: containers
				.filter((c) => c.state === 'running')
				.map((c) => ({ name: c.name, startTime: timeOf(c.startedAt ?? c.createdAt) })),
		})),
	};
}
