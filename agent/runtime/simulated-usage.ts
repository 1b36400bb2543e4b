/** What a pod of the simulated runtime uses: the sum of its scripts. Pure. */
import type { PodRuntime, PodUsage } from './runtime.ts';
import type { Script } from './simulated-script.ts';

const NO_USAGE = {
	...{ cpuNanos: 0, memoryBytes: 0, workingSetBytes: 0, rssBytes: 0, availableBytes: 0 },
	...{ pageFaults: 0, majorPageFaults: 0, swapBytes: 0 },
};

/** @param scriptOf of a container, by id */
export function simulatedUsage({ uid, name, namespace, containers }: PodRuntime, at: number, scriptOf: (id: string) => Script): PodUsage {
	const running = containers.filter((c) => c.state === 'running').map((c) => ({ ...c, script: scriptOf(c.id) }));
	const memoryBytes = running.reduce((sum, { script }) => sum + (script.memoryBytes ?? 0), 0);
	return {
		...{ uid, name, namespace, ...NO_USAGE, at, interfaces: [], memoryBytes, workingSetBytes: memoryBytes },
		processes: running.reduce((sum, { script }) => sum + (script.processes ?? 1), 0),
		containers: running.map(({ id, name: container, script: { memoryBytes: used = 0, layerBytes = 0 } }) => ({
			...{ id, name: container, ...NO_USAGE, at, memoryBytes: used, workingSetBytes: used, writableLayerBytes: layerBytes },
		})),
	};
}
