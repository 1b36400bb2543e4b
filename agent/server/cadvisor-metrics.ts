/** /metrics/cadvisor: the figures of containers and pods' networks that dashboards read, under cAdvisor's names. Pure. */
import type { Family, Sample } from './exposition.ts';
import type { Figures } from './measure.ts';
import type { ContainerUsage, NetworkUsage } from '../runtime/runtime.ts';

interface Host {
	readonly cpus: number;
	readonly memoryBytes: number;
}

export function cadvisorMetrics({ pods, containers }: Figures, host: Host): readonly Family[] {
	const ofContainers = (value: (c: ContainerUsage) => number | undefined, more: Record<string, string> = {}): readonly Sample[] =>
		pods.flatMap((pod) =>
			pod.containers.map((c) => {
				const labels = {
					container: c.name,
					id: c.id,
					image: containers.get(c.id)?.image ?? '',
					name: c.id,
					namespace: pod.namespace,
					pod: pod.name,
				};
				return { labels: { ...labels, ...more }, value: value(c), at: c.at };
			}),
		);
	const ofNetworks = (value: (n: NetworkUsage) => number): readonly Sample[] =>
		pods.flatMap((pod) =>
			pod.interfaces.map((n) => ({ labels: { interface: n.name, namespace: pod.namespace, pod: pod.name }, value: value(n), at: pod.at })),
		);
	const family = (name: string, type: Family['type'], help: string, samples: readonly Sample[]): Family => ({ name, type, help, samples });
	return [
		family(
			'container_cpu_usage_seconds_total',
			'counter',
			'Cumulative cpu time consumed in seconds.',
			ofContainers((c) => (c.cpuNanos === undefined ? undefined : c.cpuNanos / 1e9), { cpu: 'total' }),
		),
		family(
			'container_memory_usage_bytes',
			'gauge',
			'Current memory usage in bytes, including all memory regardless of when it was accessed',
			ofContainers((c) => c.memoryBytes),
		),
		family(
			'container_memory_working_set_bytes',
			'gauge',
			'Current working set in bytes.',
			ofContainers((c) => c.workingSetBytes),
		),
		family(
			'container_memory_rss',
			'gauge',
			'Size of RSS in bytes.',
			ofContainers((c) => c.rssBytes),
		),
		family(
			'container_memory_swap',
			'gauge',
			'Container swap usage in bytes.',
			ofContainers((c) => c.swapBytes),
		),
		family('container_memory_failures_total', 'counter', 'Cumulative count of memory allocation failures.', [
			...ofContainers((c) => c.pageFaults, { failure_type: 'pgfault', scope: 'container' }),
			...ofContainers((c) => c.majorPageFaults, { failure_type: 'pgmajfault', scope: 'container' }),
		]),
		family(
			'container_start_time_seconds',
			'gauge',
			'Start time of the container since unix epoch in seconds.',
			ofContainers((c) => (containers.get(c.id)?.startedAt ?? 0) / 1000),
		),
		family(
			'container_network_receive_bytes_total',
			'counter',
			'Cumulative count of bytes received',
			ofNetworks((n) => n.rxBytes),
		),
		family(
			'container_network_receive_errors_total',
			'counter',
			'Cumulative count of errors encountered while receiving',
			ofNetworks((n) => n.rxErrors),
		),
		family(
			'container_network_transmit_bytes_total',
			'counter',
			'Cumulative count of bytes transmitted',
			ofNetworks((n) => n.txBytes),
		),
		family(
			'container_network_transmit_errors_total',
			'counter',
			'Cumulative count of errors encountered while transmitting',
			ofNetworks((n) => n.txErrors),
		),
		family('machine_cpu_cores', 'gauge', 'Number of logical CPU cores.', [{ value: host.cpus }]),
		family('machine_memory_bytes', 'gauge', 'Amount of memory installed on the machine.', [{ value: host.memoryBytes }]),
	];
}
