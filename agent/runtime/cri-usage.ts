/** CRI's statistics as the agent reads them. Pure. */
import type { ContainerStats, CpuUsage, MemoryUsage, PodSandboxStats, SwapUsage, UInt64Value } from '../../wire/gen/cri.ts';
import type { ContainerUsage, NetworkUsage, PodUsage, Usage } from './runtime.ts';

export function toPodUsage({ attributes, linux }: PodSandboxStats): PodUsage {
	const { metadata } = attributes ?? {};
	const { defaultInterface, interfaces = [] } = linux?.network ?? {};
	const others = interfaces.filter((i) => i.name !== defaultInterface?.name);
	return {
		uid: metadata?.uid ?? '',
		name: metadata?.name ?? '',
		namespace: metadata?.namespace ?? '',
		...usageOf(linux?.cpu, linux?.memory, undefined),
		processes: number(linux?.process?.processCount),
		interfaces: [...(defaultInterface === undefined ? [] : [defaultInterface]), ...others].map(
			(i): NetworkUsage => ({
				name: i.name,
				rxBytes: number(i.rxBytes) ?? 0,
				rxErrors: number(i.rxErrors) ?? 0,
				txBytes: number(i.txBytes) ?? 0,
				txErrors: number(i.txErrors) ?? 0,
			}),
		),
		containers: (linux?.containers ?? []).map(toContainerUsage),
	};
}

export function toContainerUsage({ attributes, cpu, memory, swap, writableLayer }: ContainerStats): ContainerUsage {
	return {
		id: attributes?.id ?? '',
		name: attributes?.metadata?.name ?? '',
		...usageOf(cpu, memory, swap),
		swapAvailableBytes: number(swap?.swapAvailableBytes),
		writableLayerBytes: number(writableLayer?.usedBytes),
		writableLayerInodes: number(writableLayer?.inodesUsed),
	};
}

function usageOf(cpu: CpuUsage | undefined, memory: MemoryUsage | undefined, swap: SwapUsage | undefined): Usage {
	return {
		at: Number((cpu?.timestamp ?? memory?.timestamp ?? 0n) / 1_000_000n),
		cpuNanos: number(cpu?.usageCoreNanoSeconds),
		memoryBytes: number(memory?.usageBytes),
		workingSetBytes: number(memory?.workingSetBytes),
		rssBytes: number(memory?.rssBytes),
		availableBytes: number(memory?.availableBytes),
		pageFaults: number(memory?.pageFaults),
		majorPageFaults: number(memory?.majorPageFaults),
		swapBytes: number(swap?.swapUsageBytes),
	};
}

function number(value: UInt64Value | undefined): number | undefined {
	return value === undefined ? undefined : Number(value.value);
}
