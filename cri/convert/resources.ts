/** CRI resources as the engine's host configuration. */
import type { LinuxContainerResources } from '../proto.ts';
import type { HostConfig } from '../engine/types.ts';
import type { HostAbilities } from '../host-abilities.ts';

type Resources = Pick<
	HostConfig,
	'CpuShares' | 'CpuPeriod' | 'CpuQuota' | 'CpusetCpus' | 'CpusetMems' | 'Memory' | 'MemorySwap' | 'OomScoreAdj'
>;

/** Pure. Zero means "not set" in CRI, and what is not set is left out. Without a swap limit the container gets no swap. */
export function hostResources(r: LinuxContainerResources | undefined, host: Pick<HostAbilities, 'lowestOomScoreAdj'>): Resources {
	if (r === undefined) return {};
	const memory = Number(r.memoryLimitInBytes);
	const swap = Number(r.memorySwapLimitInBytes);
	return {
		...positive('CpuShares', Number(r.cpuShares)),
		...positive('CpuPeriod', Number(r.cpuPeriod)),
		...(r.cpuQuota === 0n ? {} : { CpuQuota: Number(r.cpuQuota) }),
		...(r.cpusetCpus === '' ? {} : { CpusetCpus: r.cpusetCpus }),
		...(r.cpusetMems === '' ? {} : { CpusetMems: r.cpusetMems }),
		...(memory > 0 ? { Memory: memory, MemorySwap: swap === 0 ? memory : swap } : {}),
		...(r.oomScoreAdj === 0n ? {} : { OomScoreAdj: clampOomScoreAdj(Number(r.oomScoreAdj), host) }),
	};
}

/** Where the engine may not lower the score (no CAP_SYS_RESOURCE) the lowest it may give stands in. */
export function clampOomScoreAdj(wanted: number, host: Pick<HostAbilities, 'lowestOomScoreAdj'>): number {
	return Math.min(1000, Math.max(wanted, host.lowestOomScoreAdj));
}

function positive<K extends string>(key: K, value: number): Partial<Record<K, number>> {
	return value > 0 ? ({ [key]: value } as Partial<Record<K, number>>) : {};
}

/** Pure: what stands in the update replaces what was; zero and empty mean "as it was". */
export function mergeResources(before: LinuxContainerResources | undefined, update: LinuxContainerResources): LinuxContainerResources {
	if (before === undefined) return update;
	const number = (a: bigint, b: bigint): bigint => (b === 0n ? a : b);
	const sizes = new Set(update.hugepageLimits.map((h) => h.pageSize));
	return {
		cpuPeriod: number(before.cpuPeriod, update.cpuPeriod),
		cpuQuota: number(before.cpuQuota, update.cpuQuota),
		cpuShares: number(before.cpuShares, update.cpuShares),
		memoryLimitInBytes: number(before.memoryLimitInBytes, update.memoryLimitInBytes),
		memorySwapLimitInBytes: number(before.memorySwapLimitInBytes, update.memorySwapLimitInBytes),
		oomScoreAdj: number(before.oomScoreAdj, update.oomScoreAdj),
		cpusetCpus: update.cpusetCpus || before.cpusetCpus,
		cpusetMems: update.cpusetMems || before.cpusetMems,
		hugepageLimits: [...before.hugepageLimits.filter((h) => !sizes.has(h.pageSize)), ...update.hugepageLimits],
		unified: { ...before.unified, ...update.unified },
	};
}
