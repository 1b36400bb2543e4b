/** What the node and its pods use now, read once for all who ask at the same time. */
import { cpuTimes } from '../../host/cpu.ts';
import { fsStats, type FsStats } from '../../host/filesystem.ts';
import { memoryInfo, type MemoryInfo } from '../../host/memory.ts';
import type { AgentContext } from '../context.ts';
import type { ContainerRuntime, PodRuntime, PodUsage } from '../runtime/runtime.ts';

export interface NodeFigures {
	readonly at: number;
	readonly bootedAt: number;
	readonly cpuNanos: number;
	readonly memory: MemoryInfo;
	readonly fs: FsStats;
	/** Of the images, where that is known. */
	readonly imageFs: FsStats | undefined;
}

export interface Figures {
	readonly node: NodeFigures;
	readonly pods: readonly PodUsage[];
	/** The containers of those pods by id. */
	readonly containers: ReadonlyMap<string, ContainerRuntime>;
	readonly sandboxes: ReadonlyMap<string, PodRuntime>;
}

export async function measure({ options, clock, runtime }: AgentContext, signal: AbortSignal): Promise<Figures> {
	const [cpu, memory, fs, imageFs, usage, pods] = await Promise.all([
		cpuTimes(),
		memoryInfo(),
		fsStats(options.rootDir),
		runtime.imageFolder(signal).then((folder) => (folder === undefined ? undefined : fsStats(folder).catch(() => undefined))),
		runtime.usage(signal),
		runtime.pods(signal),
	]);
	return {
		node: { at: clock.now(), bootedAt: cpu.bootedAtMs, cpuNanos: cpu.busyNanos, memory, fs, imageFs },
		pods: usage,
		containers: new Map(pods.flatMap((p) => p.containers.map((c) => [c.id, c]))),
		sandboxes: new Map(pods.map((p) => [p.uid, p])),
	};
}
