/** What a KubeletConfiguration says of resources: control groups, reservations, eviction. In the agent's units, with upstream's defaults. Pure. */
import { parseDuration } from '../../api/time.ts';
import { parseCpuList } from '../../host/cpu-list.ts';
import { thresholdsOf, UPSTREAM_HARD, withAllocatable, type Limits, type Threshold } from '../eviction/threshold.ts';
import type { SwapRules } from '../runtime/runtime.ts';

export type CgroupDriver = 'cgroupfs' | 'systemd';

export interface ResourceSettings {
	/** Where the runtime does not say. */
	readonly cgroupDriver: CgroupDriver;
	/** Under which kubepods is; as the agent was set up when absent. */
	readonly cgroupRoot: string | undefined;
	readonly cgroupsPerQos: boolean;
	/** -1 for no limit. */
	readonly podPidsLimit: number;
	/** The kernel kills one process of a container that is out of memory, not all. */
	readonly singleProcessOomKill: boolean;
	readonly cpuQuota: boolean;
	readonly cpuPeriodUs: number;
	/** pods, system-reserved, kube-reserved and the -compressible ones. */
	readonly enforce: ReadonlySet<string>;
	readonly kubeReserved: Limits;
	readonly systemReserved: Limits;
	readonly kubeReservedCgroup: string | undefined;
	readonly systemReservedCgroup: string | undefined;
	readonly thresholds: readonly Threshold[];
	readonly pressureTransitionMs: number;
	readonly maxPodGraceSeconds: number;
	readonly swapBehavior: SwapRules['behavior'];
	/** emptyDir limits and those of ephemeral storage are kept to. */
	readonly localStorageIsolation: boolean;
}

export const RESOURCE_FIELDS = [
	...['cgroupDriver', 'cgroupRoot', 'cgroupsPerQOS', 'podPidsLimit', 'singleProcessOOMKill', 'cpuCFSQuota', 'cpuCFSQuotaPeriod'],
	...['enforceNodeAllocatable', 'kubeReserved', 'systemReserved', 'kubeReservedCgroup', 'systemReservedCgroup', 'evictionHard'],
	...['evictionSoft', 'evictionSoftGracePeriod', 'evictionMinimumReclaim', 'evictionPressureTransitionPeriod'],
	...['evictionMaxPodGracePeriod', 'mergeDefaultEvictionSettings', 'localStorageCapacityIsolation', 'memorySwap'],
] as const;

type Given = Readonly<Record<string, unknown>>;

export function resourceSettingsOf(given: Given): ResourceSettings {
	const text = (field: string): string | undefined => (given[field] as string | undefined) || undefined;
	const map = (field: string): Limits => (given[field] as Limits | undefined) ?? {};
	const ms = (field: string, defaultMs: number): number =>
		given[field] === undefined ? defaultMs : Number(parseDuration(given[field] as string) / 1_000_000n) || defaultMs;
	const perQos = (given['cgroupsPerQOS'] as boolean | undefined) ?? true;
	const enforce = new Set((given['enforceNodeAllocatable'] as string[] | undefined) ?? (perQos ? ['pods'] : []));
	const thresholds = thresholdsOf(evictionOf(given));
	// Processors that are reserved by number stand for the amounts of both.
	const reservedCpus = parseCpuList(text('reservedSystemCPUs') ?? '').length;
	const reserved = (field: string, cpu: Limits): Limits => {
		const rest = Object.entries(map(field)).filter(([name]) => name !== 'cpu');
		return reservedCpus > 0 ? { ...Object.fromEntries(rest), ...cpu } : map(field);
	};
	return {
		cgroupDriver: text('cgroupDriver') === 'systemd' ? 'systemd' : 'cgroupfs',
		cgroupRoot: text('cgroupRoot'),
		cgroupsPerQos: perQos,
		podPidsLimit: Math.max(-1, (given['podPidsLimit'] as number | undefined) ?? -1),
		singleProcessOomKill: (given['singleProcessOOMKill'] as boolean | undefined) ?? false,
		cpuQuota: (given['cpuCFSQuota'] as boolean | undefined) ?? true,
		cpuPeriodUs: ms('cpuCFSQuotaPeriod', 100) * 1000,
		enforce,
		kubeReserved: reserved('kubeReserved', {}),
		systemReserved: reserved('systemReserved', { cpu: String(reservedCpus) }),
		kubeReservedCgroup: text('kubeReservedCgroup'),
		systemReservedCgroup: text('systemReservedCgroup'),
		thresholds: enforce.has('pods') ? withAllocatable(thresholds) : thresholds,
		pressureTransitionMs: ms('evictionPressureTransitionPeriod', 300_000),
		maxPodGraceSeconds: (given['evictionMaxPodGracePeriod'] as number | undefined) ?? 0,
		swapBehavior: swapBehaviorOf(given) === 'LimitedSwap' ? 'LimitedSwap' : 'NoSwap',
		localStorageIsolation: (given['localStorageCapacityIsolation'] as boolean | undefined) ?? true,
	};
}

/** Empty, as when absent, for the default. */
export function swapBehaviorOf(given: Given): string {
	return (given['memorySwap'] as { readonly swapBehavior?: string } | undefined)?.swapBehavior ?? '';
}

/** As given; a node that nothing was said to keeps upstream's limits. */
export function evictionOf(given: Given): {
	readonly hard: Limits;
	readonly soft: Limits;
	readonly softGrace: Limits;
	readonly minReclaim: Limits;
} {
	const map = (field: string): Limits | undefined => given[field] as Limits | undefined;
	const merge = given['mergeDefaultEvictionSettings'] === true ? UPSTREAM_HARD : {};
	const hard = map('evictionHard');
	return {
		hard: hard === undefined ? UPSTREAM_HARD : { ...merge, ...hard },
		soft: map('evictionSoft') ?? {},
		softGrace: map('evictionSoftGracePeriod') ?? {},
		minReclaim: map('evictionMinimumReclaim') ?? {},
	};
}
