/** The metrics of managers that give resources piece by piece, under upstream's names. */
import { Counter, Gauge, Histogram, type Registry } from '../../base/metrics.ts';

/** Of containers, as upstream names what they were aligned to. */
export const WHOLE_CORES = { scope: 'container', boundary: 'physical_cpu' } as const;
export const ONE_CACHE = { scope: 'container', boundary: 'uncore_cache' } as const;
export const oneNode = (scope: 'container' | 'pod') => ({ scope, boundary: 'numa_node' }) as const;

export class PlacementFigures {
	readonly requests: Counter;
	readonly durationMs: Histogram;
	readonly errors: Counter;
	readonly cpuPinnings: Counter;
	readonly cpuPinningErrors: Counter;
	readonly sharedMilliCpus: Gauge;
	readonly exclusiveCpus: Gauge;
	readonly cpusOfNode: Gauge;
	/** Pieces given that lie in one core, cache or node, as the policy wants them. */
	readonly aligned: Counter;
	readonly notAligned: Counter;
	readonly memoryPinnings: Counter;
	readonly memoryPinningErrors: Counter;
	readonly pluginRegistrations: Counter;
	readonly deviceAllocation: Histogram;

	constructor(registry: Registry) {
		const registers = [registry];
		const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
			new Counter({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, labelNames, registers });
		const gauge = (name: string, help: string): Gauge => new Gauge({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, registers });
		this.requests = counter(
			'topology_manager_admission_requests_total',
			'The number of admission requests where resources have to be aligned.',
		);
		this.durationMs = new Histogram({
			name: 'kubelet_topology_manager_admission_duration_ms',
			help: '[ALPHA] Duration in milliseconds to serve a pod admission request.',
			// Prometheus ExponentialBuckets(.05, 2, 15).
			buckets: Array.from({ length: 15 }, (_, i) => 0.05 * 2 ** i),
			registers,
		});
		this.errors = counter(
			'topology_manager_admission_errors_total',
			'The number of admission request failures where resources could not be aligned.',
		);
		this.cpuPinnings = counter('cpu_manager_pinning_requests_total', 'The number of cpu core allocations which required pinning.');
		this.cpuPinningErrors = counter(
			'cpu_manager_pinning_errors_total',
			'The number of cpu core allocations which required pinning failed.',
		);
		this.sharedMilliCpus = gauge(
			'cpu_manager_shared_pool_size_millicores',
			'The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.',
		);
		this.exclusiveCpus = gauge(
			'cpu_manager_exclusive_cpu_allocation_count',
			'The total number of CPUs exclusively allocated to containers running on this node',
		);
		this.cpusOfNode = new Gauge({
			name: 'kubelet_cpu_manager_allocation_per_numa',
			help: '[ALPHA] Number of CPUs allocated per NUMA node',
			labelNames: ['numa_node'],
			registers,
		});
		this.aligned = counter(
			'container_aligned_compute_resources_count',
			'Cumulative number of aligned compute resources allocated to containers by alignment type.',
			['scope', 'boundary'],
		);
		this.notAligned = counter(
			'container_aligned_compute_resources_failure_count',
			'Cumulative number of failures to allocate aligned compute resources to containers by alignment type.',
			['scope', 'boundary'],
		);
		this.memoryPinnings = counter(
			'memory_manager_pinning_requests_total',
			'The number of memory pages allocations which required pinning.',
		);
		this.memoryPinningErrors = counter(
			'memory_manager_pinning_errors_total',
			'The number of memory pages allocations which required pinning that failed.',
		);
		this.pluginRegistrations = counter(
			'device_plugin_registration_total',
			'Cumulative number of device plugin registrations. Broken down by resource name.',
			['resource_name'],
		);
		this.deviceAllocation = new Histogram({
			name: 'kubelet_device_plugin_alloc_duration_seconds',
			help: '[ALPHA] Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.',
			labelNames: ['resource_name'],
			buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
			registers,
		});
	}
}
