/** What the node has and gives. Pure. */
import type { HostFacts } from '../../host/facts.ts';

export interface Capacity {
	readonly capacity: Readonly<Record<string, string>>;
	readonly allocatable: Readonly<Record<string, string>>;
}

/** Upstream's maxPods. */
export const MAX_PODS = 110;

/** Allocatable is capacity less the memory and disk at which eviction begins. */
export function capacityOf(
	host: HostFacts,
	diskBytes: number,
	maxPods: number,
	reserved: { readonly memoryAvailableBytes: number; readonly diskAvailableShare: number },
): Capacity {
	const kibi = (bytes: number): string => `${Math.max(0, Math.floor(bytes / 1024))}Ki`;
	const hugePages = Object.entries(host.hugePages);
	const shared = {
		cpu: String(host.cpus),
		pods: String(maxPods),
		...Object.fromEntries(hugePages.map(([size, bytes]) => [`hugepages-${size}`, bytes === 0 ? '0' : kibi(bytes)])),
	};
	const hugeBytes = hugePages.reduce((sum, [, bytes]) => sum + bytes, 0);
	return {
		capacity: { ...shared, memory: kibi(host.memoryBytes), 'ephemeral-storage': kibi(diskBytes) },
		allocatable: {
			...shared,
			memory: kibi(host.memoryBytes - hugeBytes - reserved.memoryAvailableBytes),
			'ephemeral-storage': String(Math.floor(diskBytes * (1 - reserved.diskAvailableShare))),
		},
	};
}
