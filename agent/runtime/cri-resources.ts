/** Requests and limits as the runtime takes them. Pure; the figures are upstream's (qos/policy.go, cm/helpers_linux.go). */
import type { Pod } from '../../api/gen/types.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { podRequests } from '../../api/pod/resources.ts';
import { LinuxContainerResources } from '../../wire/gen/cri.ts';
import { kernelPageSize, quotaOf, sharesOf } from '../cgroup/limits.ts';
import { amountOf } from '../pod/amounts.ts';
import type { PodContainer } from '../pod/containers.ts';
import type { ActualResources, ResourceRules } from './runtime.ts';
import { swapLimits } from './cri-swap.ts';

const PERIOD_US = 100_000;
/** PriorityClass system-node-critical. */
const NODE_CRITICAL = 2_000_001_000;
const DEFAULT_RULES: ResourceRules = { cpuQuota: true, cpuPeriodUs: PERIOD_US, oomGroup: false };

export function linuxResources(
	pod: Pod,
	c: PodContainer,
	memoryCapacity: number,
	{ cpuQuota, cpuPeriodUs, oomGroup, swap }: ResourceRules = DEFAULT_RULES,
): LinuxContainerResources {
	const { limits = {}, requests = {} } = c.spec.resources ?? {};
	const podLimits = pod.spec?.resources?.limits ?? {};
	// What the pod as a whole may use binds a container that says nothing itself.
	const milliLimit = milli(limits['cpu'] ?? podLimits['cpu']);
	const limited = cpuQuota && milliLimit > 0;
	const memoryLimitInBytes = BigInt(Math.ceil(amountOf(limits['memory'] ?? podLimits['memory'] ?? '0')));
	const { unified, memorySwapLimitInBytes } = swapLimits(pod, c, memoryLimitInBytes, memoryCapacity, swap);
	return {
		cpuPeriod: BigInt(limited ? cpuPeriodUs : 0),
		cpuQuota: BigInt(limited ? quotaOf(milliLimit, cpuPeriodUs) : 0),
		cpuShares: BigInt(sharesOf(milli(requests['cpu'] ?? limits['cpu']))),
		memoryLimitInBytes,
		oomScoreAdj: BigInt(oomScoreAdj(pod, c, memoryCapacity)),
		cpusetCpus: '',
		cpusetMems: '',
		hugepageLimits: Object.entries(limits).flatMap(([name, quantity]) => {
			const pageSize = kernelPageSize(name);
			return pageSize === undefined ? [] : [{ pageSize, limit: BigInt(Math.ceil(amountOf(quantity))) }];
		}),
		unified: { ...(oomGroup ? { 'memory.oom.group': '1' } : {}), ...unified },
		memorySwapLimitInBytes,
	};
}

/** An update of nothing but the processors: what is empty stays as it was. */
export function cpusOnly(cpus: string): LinuxContainerResources {
	return { ...LinuxContainerResources.decode(new Uint8Array()), cpusetCpus: cpus };
}

/** What a container was given, as the runtime tells it; undefined where it does not. */
export function toActual(resources: LinuxContainerResources | undefined): ActualResources | undefined {
	if (resources === undefined) return undefined;
	const { cpuShares, cpuQuota, cpuPeriod, memoryLimitInBytes } = resources;
	return {
		cpuShares: Number(cpuShares),
		cpuQuotaUs: Math.max(0, Number(cpuQuota)),
		cpuPeriodUs: Number(cpuPeriod) || PERIOD_US,
		memoryLimitBytes: Math.max(0, Number(memoryLimitInBytes)),
	};
}

export function oomScoreAdj(pod: Pod, c: PodContainer, memoryCapacity: number): number {
	if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL) return -997;
	const qos = pod.status?.qosClass ?? qosClass(pod);
	if (qos === 'Guaranteed') return -997;
	if (qos === 'BestEffort') return 1000;
	const more = remainder(pod);
	const own = burstable(memoryRequest(c) + more, memoryCapacity);
	if (c.kind !== 'sidecar') return own;
	const apps = (pod.spec?.containers ?? []).map((spec) => memoryRequest({ kind: 'app', spec, target: '' }));
	return Math.min(own, burstable(Math.min(...apps) + more, memoryCapacity));
}

/** What a pod asks for as a whole and none of its containers does is shared by them equally. */
function remainder(pod: Pod): number {
	if (pod.spec?.resources?.requests?.['memory'] === undefined) return 0;
	const whole = Number(podRequests(pod, false).get('memory')?.nano ?? 0n) / 1e9;
	const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')];
	const said = containers.reduce((sum, spec) => sum + memoryRequest({ kind: 'app', spec, target: '' }), 0);
	return containers.length === 0 ? 0 : Math.max(0, whole - said) / containers.length;
}

function burstable(request: number, capacity: number): number {
	const score = Math.floor(1000 - (1000 * request) / capacity);
	return score < 3 ? 3 : score === 1000 ? 999 : score;
}

function memoryRequest(c: PodContainer): number {
	const { limits, requests } = c.spec.resources ?? {};
	return amountOf(requests?.['memory'] ?? limits?.['memory'] ?? '0');
}

/** Rounded up, as Quantity.MilliValue does. */
function milli(quantity: string | undefined): number {
	return Math.ceil(Number((amountOf(quantity ?? '0') * 1000).toPrecision(12)));
}
