/** Requests and limits as the runtime takes them. Pure; the figures are upstream's (qos/policy.go, cm/helpers_linux.go). */
import type { Pod } from '../../api/gen/types.ts';
import type { LinuxContainerResources } from '../../wire/gen/cri.ts';
import { amountOf } from '../pod/amounts.ts';
import type { PodContainer } from '../pod/containers.ts';

const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const PERIOD_US = 100_000;
const MIN_QUOTA_US = 1000;
/** PriorityClass system-node-critical. */
const NODE_CRITICAL = 2_000_001_000;

export function linuxResources(pod: Pod, c: PodContainer, memoryCapacity: number): LinuxContainerResources {
	const { limits = {}, requests = {} } = c.spec.resources ?? {};
	const cpuLimit = amountOf(limits['cpu'] ?? '0');
	const cpuRequest = amountOf(requests['cpu'] ?? limits['cpu'] ?? '0');
	return {
		cpuPeriod: BigInt(cpuLimit > 0 ? PERIOD_US : 0),
		cpuQuota: BigInt(cpuLimit > 0 ? Math.max(MIN_QUOTA_US, Math.floor(cpuLimit * PERIOD_US)) : 0),
		cpuShares: BigInt(Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor(cpuRequest * 1024)))),
		memoryLimitInBytes: BigInt(Math.ceil(amountOf(limits['memory'] ?? '0'))),
		oomScoreAdj: BigInt(oomScoreAdj(pod, c, memoryCapacity)),
		cpusetCpus: '',
		cpusetMems: '',
		hugepageLimits: [],
		unified: {},
		memorySwapLimitInBytes: 0n,
	};
}

export function oomScoreAdj(pod: Pod, c: PodContainer, memoryCapacity: number): number {
	if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL) return -997;
	const qosClass = pod.status?.qosClass;
	if (qosClass === 'Guaranteed') return -997;
	if (qosClass === 'BestEffort') return 1000;
	const own = burstable(memoryRequest(c), memoryCapacity);
	if (c.kind !== 'sidecar') return own;
	const apps = (pod.spec?.containers ?? []).map((spec) => memoryRequest({ kind: 'app', spec, target: '' }));
	return Math.min(own, burstable(Math.min(...apps), memoryCapacity));
}

function burstable(request: number, capacity: number): number {
	const score = Math.floor(1000 - (1000 * request) / capacity);
	return score < 3 ? 3 : score === 1000 ? 999 : score;
}

function memoryRequest(c: PodContainer): number {
	const { limits, requests } = c.spec.resources ?? {};
	return amountOf(requests?.['memory'] ?? limits?.['memory'] ?? '0');
}
