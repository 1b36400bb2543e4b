/** /metrics/resource: what metrics-server reads. Pure; names and help as upstream's. */
import type { Family, Sample } from './exposition.ts';
import type { Figures } from './measure.ts';

export function resourceMetrics({ node, pods, containers }: Figures): readonly Family[] {
	const seconds = (nanos: number | undefined): number | undefined => (nanos === undefined ? undefined : nanos / 1e9);
	const ofPods = (value: (pod: Figures['pods'][number]) => number | undefined): readonly Sample[] =>
		pods.map((pod) => ({ labels: { namespace: pod.namespace, pod: pod.name }, value: value(pod), at: pod.at }));
	const ofContainers = (value: (c: Figures['pods'][number]['containers'][number]) => number | undefined): readonly Sample[] =>
		pods.flatMap((pod) =>
			pod.containers.map((c) => ({ labels: { container: c.name, namespace: pod.namespace, pod: pod.name }, value: value(c), at: c.at })),
		);
	const { memory, at } = node;
	return [
		{
			name: 'container_cpu_usage_seconds_total',
			type: 'counter',
			help: '[STABLE] Cumulative cpu time consumed by the container in core-seconds',
			samples: ofContainers((c) => seconds(c.cpuNanos)),
		},
		{
			name: 'container_memory_working_set_bytes',
			type: 'gauge',
			help: '[STABLE] Current working set of the container in bytes',
			samples: ofContainers((c) => c.workingSetBytes),
		},
		{
			name: 'container_start_time_seconds',
			type: 'gauge',
			help: '[STABLE] Start time of the container since unix epoch in seconds',
			samples: ofContainers((c) => {
				const startedAt = containers.get(c.id)?.startedAt;
				return startedAt === undefined ? undefined : startedAt / 1000;
			}).map(({ labels = {}, value }) => ({ labels, value })),
		},
		{
			name: 'container_swap_usage_bytes',
			type: 'gauge',
			help: '[ALPHA] Current amount of the container swap usage in bytes. Reported only on non-windows systems',
			samples: ofContainers((c) => c.swapBytes),
		},
		{
			name: 'container_swap_limit_bytes',
			type: 'gauge',
			help: '[ALPHA] Current amount of the container swap limit in bytes. Reported only on non-windows systems',
			samples: ofContainers((c) =>
				c.swapBytes === undefined || c.swapAvailableBytes === undefined ? undefined : c.swapBytes + c.swapAvailableBytes,
			),
		},
		{
			name: 'node_cpu_usage_seconds_total',
			type: 'counter',
			help: '[STABLE] Cumulative cpu time consumed by the node in core-seconds',
			samples: [{ value: seconds(node.cpuNanos), at }],
		},
		{
			name: 'node_memory_working_set_bytes',
			type: 'gauge',
			help: '[STABLE] Current working set of the node in bytes',
			samples: [{ value: memory.totalBytes - memory.availableBytes, at }],
		},
		{
			name: 'node_swap_usage_bytes',
			type: 'gauge',
			help: '[ALPHA] Current swap usage of the node in bytes. Reported only on non-windows systems',
			samples: [{ value: memory.swapTotalBytes - memory.swapFreeBytes, at }],
		},
		{
			name: 'pod_cpu_usage_seconds_total',
			type: 'counter',
			help: '[STABLE] Cumulative cpu time consumed by the pod in core-seconds',
			samples: ofPods((pod) => seconds(pod.cpuNanos)),
		},
		{
			name: 'pod_memory_working_set_bytes',
			type: 'gauge',
			help: '[STABLE] Current working set of the pod in bytes',
			samples: ofPods((pod) => pod.workingSetBytes),
		},
		{
			name: 'pod_swap_usage_bytes',
			type: 'gauge',
			help: '[ALPHA] Current amount of the pod swap usage in bytes. Reported only on non-windows systems',
			samples: ofPods((pod) => sum(pod.containers.map((c) => c.swapBytes))),
		},
		{
			name: 'resource_scrape_error',
			type: 'gauge',
			help: '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
			samples: [{ value: 0 }],
		},
	];
}

function sum(values: readonly (number | undefined)[]): number | undefined {
	const known = values.filter((v) => v !== undefined);
	return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}
