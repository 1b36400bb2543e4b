/** The agent's own metrics, under the names of upstream's kubelet. A registry of its own: several agents may share a process. */
import { Counter, Gauge, Histogram, Registry } from '../base/metrics.ts';
import { LabelFigures } from './csi/label-figures.ts';
import { DynamicFigures } from './dra/figures.ts';
import { VolumeOperationFigures } from './volume/figures.ts';
import { PodResourcesFigures } from './pod-resources/figures.ts';
import { PlacementFigures } from './topology/figures.ts';
import { ImageVolumeFigures } from './image/volume-figures.ts';
import { ResizeFigures } from './resize/figures.ts';
import { EventFigures } from './runtime/event-figures.ts';
import type { ContainerKind } from './pod/containers.ts';

/** Upstream's buckets of pod starts, seconds. */
const POD_BUCKETS = [0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600];
/** Prometheus ExponentialBuckets(.005, 2.5, 14). */
const RUNTIME_BUCKETS = Array.from({ length: 14 }, (_, i) => 0.005 * 2.5 ** i);
const WORKER_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type ContainerType = 'container' | 'init_container' | 'ephemeral_container' | 'podsandbox';

export class AgentMetrics {
	readonly registry = new Registry();
	/** Probes have a path of their own. */
	readonly probes = new Registry();
	readonly #registers = [this.registry];
	#sawNetworkPod = false;

	readonly podStart = new Histogram({
		name: 'kubelet_pod_start_duration_seconds',
		help: '[ALPHA] Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run',
		buckets: POD_BUCKETS,
		registers: this.#registers,
	});
	readonly podWorker = new Histogram({
		name: 'kubelet_pod_worker_duration_seconds',
		help: '[ALPHA] Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync',
		labelNames: ['operation_type'],
		buckets: WORKER_BUCKETS,
		registers: this.#registers,
	});
	readonly runtimeOperations = this.#counter('runtime_operations_total', 'Cumulative number of runtime operations by operation type.', [
		'operation_type',
	]);
	readonly runtimeErrors = this.#counter(
		'runtime_operations_errors_total',
		'Cumulative number of runtime operation errors by operation type.',
		['operation_type'],
	);
	readonly runtimeDuration = new Histogram({
		name: 'kubelet_runtime_operations_duration_seconds',
		help: '[ALPHA] Duration in seconds of runtime operations. Broken down by operation type.',
		labelNames: ['operation_type'],
		buckets: RUNTIME_BUCKETS,
		registers: this.#registers,
	});
	readonly startedPods = this.#counter('started_pods_total', 'Cumulative number of pods started', []);
	readonly startedPodsErrors = this.#counter('started_pods_errors_total', 'Cumulative number of errors when starting pods', []);
	/** With users of their own. */
	readonly startedApart = this.#counter(
		'started_user_namespaced_pods_total',
		'Cumulative number of pods with user namespaces started. This metric will only be collected on Linux.',
		[],
	);
	readonly startedApartErrors = this.#counter(
		'started_user_namespaced_pods_errors_total',
		'Cumulative number of errors when starting pods with user namespaces. This metric will only be collected on Linux.',
		[],
	);
	readonly dynamic = new DynamicFigures(this.registry);
	readonly volumes = new VolumeOperationFigures(this.registry);
	readonly labels = new LabelFigures(this.registry);
	readonly ensured = this.#counter(
		'image_manager_ensure_image_requests_total',
		'Number of ensure-image requests processed by the kubelet.',
		['pull_policy', 'present_locally', 'pull_required'],
	);
	readonly imageVolumes = new ImageVolumeFigures(this.registry);
	readonly startedContainers = this.#counter('started_containers_total', 'Cumulative number of containers started', ['container_type']);
	readonly startedContainersErrors = this.#counter(
		'started_containers_errors_total',
		'Cumulative number of errors when starting containers',
		['container_type', 'code'],
	);
	readonly terminatedContainers = this.#counter('terminated_containers_total', 'Cumulative number of container terminations.', [
		'container_type',
		'exit_code',
		'reason',
	]);
	readonly containersPerPod = this.#histogram('containers_per_pod_count', 'The number of containers per pod.', [], [1, 2, 4, 8, 16]);
	readonly refusals = this.#counter('admission_rejections_total', 'Cumulative number pod admission rejections by the Kubelet.', ['reason']);
	readonly relist = new Histogram({
		name: 'kubelet_pleg_relist_duration_seconds',
		help: '[ALPHA] Duration in seconds for relisting pods in PLEG.',
		buckets: WORKER_BUCKETS,
		registers: this.#registers,
	});
	readonly plegLastSeen = this.#gauge('pleg_last_seen_seconds', 'Timestamp in seconds when PLEG was last seen active.', []);
	readonly events = new EventFigures(this.registry);
	readonly podRelist = this.#histogram(
		'pleg_pod_relist_duration_seconds',
		'Duration in seconds for relisting a single pod in PLEG.',
		[],
		WORKER_BUCKETS,
	);
	/** Nothing is thrown away here: what wakes a pod's worker is not queued. */
	readonly plegDiscards = this.#counter('pleg_discard_events', 'The number of discard events in PLEG.', []);
	readonly runningPods = this.#gauge('running_pods', 'Number of pods that have a running pod sandbox', []);
	readonly runningContainers = this.#gauge('running_containers', 'Number of containers currently running', ['container_state']);
	readonly desiredPods = this.#gauge(
		'desired_pods',
		'The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver.',
		['static'],
	);
	readonly activePods = this.#gauge(
		'active_pods',
		'The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.',
		['static'],
	);
	readonly mirrorPods = this.#gauge(
		'mirror_pods',
		'The number of mirror pods the kubelet will try to create (one per admitted static pod)',
		[],
	);
	readonly workingPods = this.#gauge(
		'working_pods',
		'Number of pods the kubelet is actually running, broken down by lifecycle phase, whether the pod is desired, orphaned, or runtime only (also orphaned), and whether the pod is static. An orphaned pod has been removed from local configuration or force deleted in the API and consumes resources that are not otherwise visible.',
		['lifecycle', 'config', 'static'],
	);
	readonly orphanedPods = this.#counter(
		'orphaned_runtime_pods_total',
		'Number of pods that have been detected in the container runtime without being already known to the pod worker. This typically indicates the kubelet was restarted while a pod was force deleted in the API or in the local configuration, which is unusual.',
		[],
	);
	readonly restartedPods = this.#counter(
		'restarted_pods_total',
		'Number of pods that have been restarted because they were deleted and recreated with the same UID while the kubelet was watching them (common for static pods, extremely uncommon for API pods)',
		['static'],
	);
	readonly ephemeralContainers = this.#gauge(
		'managed_ephemeral_containers',
		'Current number of ephemeral containers in pods managed by this kubelet.',
		[],
	);
	readonly hookFallbacks = this.#counter(
		'lifecycle_handler_http_fallbacks_total',
		'The number of times lifecycle handlers successfully fell back to http from https.',
		[],
	);
	readonly sleepsCutShort = this.#counter(
		'sleep_action_terminated_early_total',
		'The number of times lifecycle sleep handler got terminated before it finishes',
		[],
	);
	readonly relistInterval = new Histogram({
		name: 'kubelet_pleg_relist_interval_seconds',
		help: '[ALPHA] Interval in seconds between relisting in PLEG.',
		buckets: WORKER_BUCKETS,
		registers: this.#registers,
	});
	readonly podWorkerStart = new Histogram({
		name: 'kubelet_pod_worker_start_duration_seconds',
		help: '[ALPHA] Duration in seconds from kubelet seeing a pod to starting a worker.',
		buckets: WORKER_BUCKETS,
		registers: this.#registers,
	});
	readonly statusSync = new Histogram({
		name: 'kubelet_pod_status_sync_duration_seconds',
		help: '[ALPHA] Duration in seconds to sync a pod status update. Measures time from detection of a change to pod status until the API is successfully updated for that pod, even if multiple intevening changes to pod status occur.',
		buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
		registers: this.#registers,
	});
	readonly evictions = this.#counter('evictions', 'Cumulative number of pod evictions by eviction signal', ['eviction_signal']);
	readonly preemptions = this.#counter('preemptions', 'Cumulative number of pod preemptions by preemption resource', ['preemption_signal']);
	readonly sandboxRun = new Histogram({
		name: 'kubelet_run_podsandbox_duration_seconds',
		help: '[ALPHA] Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.',
		labelNames: ['runtime_handler'],
		buckets: WORKER_BUCKETS,
		registers: this.#registers,
	});
	readonly imagePull = new Histogram({
		name: 'kubelet_image_pull_duration_seconds',
		help: '[ALPHA] Duration in seconds to pull an image.',
		labelNames: ['image_size_in_bytes'],
		buckets: [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
		registers: this.#registers,
	});
	readonly sandboxErrors = this.#counter(
		'run_podsandbox_errors_total',
		'Cumulative number of the run_podsandbox operation errors by RuntimeClass.Handler.',
		['runtime_handler'],
	);
	readonly probeDuration = new Histogram({
		name: 'prober_probe_duration_seconds',
		help: '[ALPHA] Duration in seconds for a probe response.',
		labelNames: ['probe_type', 'container', 'pod', 'namespace'],
		buckets: WORKER_BUCKETS,
		registers: [this.probes],
	});
	readonly probeTotal = new Counter({
		name: 'prober_probe_total',
		help: '[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.',
		labelNames: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
		registers: [this.probes],
	});

	readonly placement = new PlacementFigures(this.registry);
	readonly podResources = new PodResourcesFigures(this.registry);

	readonly podStartTotal = this.#histogram(
		'pod_start_total_duration_seconds',
		'Duration in seconds to start a pod since creation, including time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
		[],
		POD_BUCKETS,
	);
	readonly podStartSli = this.#histogram(
		'pod_start_sli_duration_seconds',
		'Duration in seconds to start a pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
		[],
		POD_BUCKETS,
	);
	readonly #firstNetworkPod = this.#gauge(
		'first_network_pod_start_sli_duration_seconds',
		'Duration in seconds to start the first network pod, excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch',
		[],
	);
	readonly evictionStatsAge = this.#histogram(
		'eviction_stats_age_seconds',
		'Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
		['eviction_signal'],
		WORKER_BUCKETS,
	);
	readonly imagesCollected = this.#counter(
		'image_garbage_collected_total',
		'Total number of images garbage collected by the kubelet, whether through disk usage or image age.',
		['reason'],
	);
	readonly cgroups = this.#histogram(
		'cgroup_manager_duration_seconds',
		'Duration in seconds for cgroup manager operations. Broken down by method.',
		['operation_type'],
		WORKER_BUCKETS,
	);
	readonly cgroupVersion = this.#gauge('cgroup_version', 'cgroup version on the hosts.', []);
	readonly resizes = new ResizeFigures(this.registry);

	constructor(nodeName: string) {
		const provider = "Metrics provider used by kubelet to collect container stats. Values can be 'cadvisor' and 'cri'";
		// The groups' files are read here, whatever the runtime can tell.
		this.#gauge('metrics_provider', provider, ['provider']).set({ provider: 'cadvisor' }, 1);
		this.#gauge('node_name', "The node's name. The count is always 1.", ['node']).set({ node: nodeName }, 1);
	}

	/** A pod runs. @param seconds as podStartSli has it */
	startedIn(seconds: number, hasNetwork: boolean): void {
		this.podStartSli.observe(seconds);
		if (hasNetwork && !this.#sawNetworkPod) this.#firstNetworkPod.set(seconds);
		this.#sawNetworkPod ||= hasNetwork;
	}

	/** The runtime lacks what that version of Kubernetes needs. */
	losesSupport(version: string): void {
		const help = 'the Kubernetes version that the currently running CRI implementation will lose support on if not upgraded.';
		this.#gauge('cri_losing_support', help, ['version']).set({ version }, 1);
	}

	#histogram(name: string, help: string, labelNames: readonly string[], buckets: readonly number[]): Histogram {
		return new Histogram({
			...{ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, labelNames: [...labelNames], buckets: [...buckets] },
			registers: this.#registers,
		});
	}

	#counter(name: string, help: string, labelNames: readonly string[]): Counter {
		return new Counter({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, labelNames: [...labelNames], registers: this.#registers });
	}

	#gauge(name: string, help: string, labelNames: readonly string[]): Gauge {
		return new Gauge({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, labelNames: [...labelNames], registers: this.#registers });
	}
}

export function containerType(kind: ContainerKind): ContainerType {
	switch (kind) {
		case 'app':
			return 'container';
		case 'init':
		case 'sidecar':
			return 'init_container';
		case 'ephemeral':
			return 'ephemeral_container';
	}
}
