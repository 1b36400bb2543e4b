/** A pod as the scheduler looks at it: everything that filters and scores ask again and again, worked out once. Pure. */
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { hostPorts, type HostPort } from '../../api/pod/host-ports.ts';
import { podAmounts, type Amounts } from './resources.ts';

export interface PodInfo {
	readonly pod: Pod;
	readonly key: Key;
	readonly uid: string;
	readonly namespace: string;
	readonly priority: number;
	readonly requests: Amounts;
	/** As requests, but never nothing of cpu and memory. */
	readonly weighed: Amounts;
	readonly ports: readonly HostPort[];
	readonly affinity: readonly PodAffinityTerm[];
	readonly antiAffinity: readonly PodAffinityTerm[];
	readonly preferredAffinity: readonly WeightedPodAffinityTerm[];
	readonly preferredAntiAffinity: readonly WeightedPodAffinityTerm[];
}

export function podInfo(pod: Pod): PodInfo {
	const { affinity } = pod.spec ?? {};
	return {
		pod,
		key: keyOf(pod),
		uid: pod.metadata.uid ?? '',
		namespace: pod.metadata.namespace ?? 'default',
		priority: pod.spec?.priority ?? 0,
		requests: podAmounts(pod),
		weighed: podAmounts(pod, true),
		ports: hostPorts(pod),
		affinity: affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
		antiAffinity: affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
		preferredAffinity: affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
		preferredAntiAffinity: affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
	};
}
