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
