/** A pod as the scheduler looks at it: everything that filters and scores ask again and again, worked out once. Pure. */
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { podAmounts, type Amounts } from './resources.ts';

export interface HostPort {
	readonly ip: string;
	readonly protocol: string;
	readonly port: number;
}

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

/** Finished pods take nothing of a node any more. */
export function isTerminal(pod: Pod): boolean {
	return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function hostPorts(pod: Pod): readonly HostPort[] {
	const sidecars = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always');
	return [...sidecars, ...(pod.spec?.containers ?? [])]
		.flatMap((container) => container.ports ?? [])
		.filter((port) => (port.hostPort ?? 0) > 0)
		.map((port) => ({
			ip: port.hostIP === undefined || port.hostIP === '' ? '0.0.0.0' : port.hostIP,
			protocol: port.protocol ?? 'TCP',
			port: port.hostPort ?? 0,
		}));
}
