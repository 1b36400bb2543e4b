/** What the control groups of pods and of their classes are limited to (upstream cm/helpers_linux.go, qos_container_manager_linux.go). Pure. */
import type { Pod } from '../../api/gen/types.ts';
import type { Amounts } from '../../api/pod/amounts.ts';
import { qosClass, type QosClass } from '../../api/pod/qos.ts';
import { podLimits, podRequests } from '../../api/pod/resources.ts';
import { amountOf } from '../pod/amounts.ts';

/** What is absent stays as it is. */
export interface GroupLimits {
	readonly shares?: number;
	/** -1 for none. */
	readonly quotaUs?: number;
	readonly periodUs?: number;
	/** -1 for none. */
	readonly memoryBytes?: number;
	readonly pids?: number;
	/** By page size as the kernel names it, "2MB". */
	readonly hugePages?: Readonly<Record<string, number>>;
}

export const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const MIN_QUOTA_US = 1000;

export interface LimitRules {
	readonly cpuQuota: boolean;
	readonly cpuPeriodUs: number;
	/** -1 for none. */
	readonly podPidsLimit: number;
}

export function sharesOf(milliCpu: number): number {
	return milliCpu <= 0 ? MIN_SHARES : Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((milliCpu * 1024) / 1000)));
}

/** 0 for no limit. */
export function quotaOf(milliCpu: number, periodUs: number): number {
	return milliCpu <= 0 ? 0 : Math.max(MIN_QUOTA_US, Math.floor((milliCpu * periodUs) / 1000));
}

/** Version 2's weight of a number of shares. */
export function weightOf(shares: number): number {
	return 1 + Math.floor(((shares - 2) * 9999) / 262_142);
}

export function podGroupLimits(pod: Pod, { cpuQuota, cpuPeriodUs, podPidsLimit }: LimitRules): GroupLimits {
	const requests = podRequests(pod);
	const limits = podLimits(pod);
	const pids = podPidsLimit > 0 ? { pids: podPidsLimit } : {};
	const huge = hugePagesOf(requests);
	const shares = sharesOf(milli(requests, 'cpu'));
	const quotaUs = cpuQuota ? quotaOf(milli(limits, 'cpu'), cpuPeriodUs) || -1 : -1;
	const memoryBytes = units(limits, 'memory') || -1;
	switch (qosClass(pod)) {
		case 'Guaranteed':
			return { shares, quotaUs, periodUs: cpuPeriodUs, memoryBytes, ...pids, ...huge };
		case 'Burstable':
			// What one container may use without bound, the pod may.
			return {
				shares,
				quotaUs: declared(pod, 'cpu') ? quotaUs : -1,
				periodUs: cpuPeriodUs,
				memoryBytes: declared(pod, 'memory') ? memoryBytes : -1,
				...pids,
				...huge,
			};
		case 'BestEffort':
			return { shares: MIN_SHARES, ...pids, ...huge };
	}
}

/** What both allow: while a pod changes from one to the other. */
export function widest(a: GroupLimits, b: GroupLimits): GroupLimits {
	const more = (x: number | undefined, y: number | undefined): number | undefined =>
		x === undefined || y === undefined ? (x ?? y) : x < 0 || y < 0 ? -1 : Math.max(x, y);
	const [shares, quotaUs, memoryBytes] = [more(a.shares, b.shares), more(a.quotaUs, b.quotaUs), more(a.memoryBytes, b.memoryBytes)];
	return {
		...a,
		...(shares === undefined ? {} : { shares }),
		...(quotaUs === undefined ? {} : { quotaUs }),
		...(memoryBytes === undefined ? {} : { memoryBytes }),
	};
}

/** Every container, or the pod itself, has a limit. */
function declared(pod: Pod, resource: string): boolean {
	const has = (limits: Readonly<Record<string, string>> | undefined): boolean => amountOf(limits?.[resource] ?? '0') > 0;
	return (
		has(pod.spec?.resources?.limits) ||
		[...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].every((c) => has(c.resources?.limits))
	);
}

/** Of the group of a class: burstable pods together weigh what they ask for. */
export function classLimits(qos: Exclude<QosClass, 'Guaranteed'>, pods: readonly Pod[]): GroupLimits {
	if (qos === 'BestEffort') return { shares: MIN_SHARES };
	const total = pods.filter((pod) => qosClass(pod) === 'Burstable').reduce((sum, pod) => sum + milli(podRequests(pod), 'cpu'), 0);
	return { shares: sharesOf(total) };
}

/** "hugepages-2Mi" is what the kernel calls 2MB. */
export function kernelPageSize(resource: string): string | undefined {
	const match = /^hugepages-(\d+)([KMG])i$/.exec(resource);
	return match === null ? undefined : `${match[1]}${match[2]}B`;
}

function hugePagesOf(requests: Amounts): Pick<GroupLimits, 'hugePages'> {
	const sizes = [...requests].flatMap(([name, { nano }]) => {
		const size = kernelPageSize(name);
		return size === undefined ? [] : [[size, Number(nano / 1_000_000_000n)] as const];
	});
	return sizes.length === 0 ? {} : { hugePages: Object.fromEntries(sizes) };
}

/** Rounded up, as Quantity.MilliValue does. */
function milli(amounts: Amounts, name: string): number {
	return Number(((amounts.get(name)?.nano ?? 0n) + 999_999n) / 1_000_000n);
}

function units(amounts: Amounts, name: string): number {
	return Number(((amounts.get(name)?.nano ?? 0n) + 999_999_999n) / 1_000_000_000n);
}
