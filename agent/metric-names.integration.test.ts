/**
 * A whole agent, with a real API server and simulated containers, has the metrics that upstream's kubelet 1.36 registers on Linux by default, but for
 * those that docs/node.md lists and those of what it is not given here: certificates of its own, plug-ins for credentials, claims, an old runtime.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { NAMESPACES, PODS, SERVICE_ACCOUNTS } from '../api/resources.ts';
import { realClock } from '../base/clock.ts';
import { noLog } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { createClient } from '../client/rest.ts';
import { TransportMetrics } from '../client/transport-metrics.ts';
import { testApiServer } from '../test/fakes/api-server.ts';
import { c } from '../test/fakes/playing.ts';
import { eventually } from '../test/tools/eventually.ts';
import { ownPort } from '../test/tools/ports.ts';
import { createAgent } from './agent.ts';
import { settingsOf } from './config/settings.ts';
import { SimulatedRuntime } from './runtime/simulated.ts';

const NAMES = `
	csi_operations_seconds dra_grpc_operations_duration_seconds dra_operations_duration_seconds dra_resource_claims_in_use
	force_cleaned_failed_volume_operation_errors_total force_cleaned_failed_volume_operations_total kubelet_active_pods
	kubelet_admission_rejections_total kubelet_cgroup_manager_duration_seconds kubelet_cgroup_version
	kubelet_container_aligned_compute_resources_count kubelet_container_aligned_compute_resources_failure_count
	kubelet_container_log_filesystem_used_bytes kubelet_container_requested_resizes_total kubelet_containers_per_pod_count
	kubelet_cpu_manager_allocation_per_numa kubelet_cpu_manager_exclusive_cpu_allocation_count kubelet_cpu_manager_pinning_errors_total
	kubelet_cpu_manager_pinning_requests_total kubelet_cpu_manager_shared_pool_size_millicores kubelet_desired_pods
	kubelet_device_plugin_alloc_duration_seconds kubelet_device_plugin_registration_total kubelet_evented_pleg_connection_error_count
	kubelet_evented_pleg_connection_latency_seconds kubelet_evented_pleg_connection_success_count kubelet_eviction_stats_age_seconds
	kubelet_evictions kubelet_first_network_pod_start_sli_duration_seconds kubelet_graceful_shutdown_end_time_seconds
	kubelet_graceful_shutdown_start_time_seconds kubelet_http_inflight_requests kubelet_http_requests_duration_seconds
	kubelet_http_requests_total kubelet_image_garbage_collected_total kubelet_image_manager_ensure_image_requests_total
	kubelet_image_pull_duration_seconds kubelet_image_volume_mounted_errors_total kubelet_image_volume_mounted_succeed_total
	kubelet_image_volume_requested_total kubelet_imagemanager_image_mustpull_checks_total kubelet_imagemanager_ondisk_pulledrecords
	kubelet_imagemanager_ondisk_pullintents kubelet_lifecycle_handler_http_fallbacks_total kubelet_managed_ephemeral_containers
	kubelet_memory_manager_pinning_errors_total kubelet_memory_manager_pinning_requests_total kubelet_metrics_provider kubelet_mirror_pods
	kubelet_node_name kubelet_node_startup_duration_seconds kubelet_node_startup_post_registration_duration_seconds
	kubelet_node_startup_pre_kubelet_duration_seconds kubelet_node_startup_pre_registration_duration_seconds
	kubelet_node_startup_registration_duration_seconds kubelet_orphan_pod_cleaned_volumes kubelet_orphan_pod_cleaned_volumes_errors
	kubelet_orphaned_runtime_pods_total kubelet_pleg_discard_events kubelet_pleg_last_seen_seconds kubelet_pleg_pod_relist_duration_seconds
	kubelet_pleg_relist_duration_seconds kubelet_pleg_relist_interval_seconds kubelet_pod_deferred_accepted_resizes_total
	kubelet_pod_in_progress_resizes kubelet_pod_infeasible_resizes_total kubelet_pod_pending_resizes kubelet_pod_resize_duration_milliseconds
	kubelet_pod_resources_endpoint_errors_get kubelet_pod_resources_endpoint_errors_get_allocatable
	kubelet_pod_resources_endpoint_errors_list kubelet_pod_resources_endpoint_requests_get
	kubelet_pod_resources_endpoint_requests_get_allocatable kubelet_pod_resources_endpoint_requests_list
	kubelet_pod_resources_endpoint_requests_total kubelet_pod_start_duration_seconds kubelet_pod_start_sli_duration_seconds
	kubelet_pod_start_total_duration_seconds kubelet_pod_status_sync_duration_seconds kubelet_pod_worker_duration_seconds
	kubelet_pod_worker_start_duration_seconds kubelet_preemptions kubelet_restarted_pods_total kubelet_run_podsandbox_duration_seconds
	kubelet_run_podsandbox_errors_total kubelet_running_containers kubelet_running_pods kubelet_runtime_operations_duration_seconds
	kubelet_runtime_operations_errors_total kubelet_runtime_operations_total kubelet_sleep_action_terminated_early_total
	kubelet_started_containers_errors_total kubelet_started_containers_total kubelet_started_pods_errors_total kubelet_started_pods_total
	kubelet_started_user_namespaced_pods_errors_total kubelet_started_user_namespaced_pods_total kubelet_terminated_containers_total
	kubelet_topology_manager_admission_duration_ms kubelet_topology_manager_admission_errors_total
	kubelet_topology_manager_admission_requests_total kubelet_volume_metric_collection_duration_seconds
	kubelet_websocket_streaming_requests_total kubelet_working_pods kubernetes_build_info kubernetes_feature_enabled
	plugin_manager_total_plugins process_cpu_seconds_total process_max_fds process_network_receive_bytes_total
	process_network_transmit_bytes_total process_open_fds process_resident_memory_bytes
	process_start_time_seconds process_virtual_memory_bytes process_virtual_memory_max_bytes reconstruct_volume_operations_errors_total reconstruct_volume_operations_total
	rest_client_rate_limiter_duration_seconds rest_client_request_duration_seconds rest_client_request_size_bytes
	rest_client_requests_total rest_client_response_size_bytes storage_operation_duration_seconds volume_manager_selinux_container_errors_total
	volume_manager_selinux_container_warnings_total volume_manager_selinux_pod_context_mismatch_errors_total
	volume_manager_selinux_pod_context_mismatch_warnings_total volume_manager_selinux_volume_context_mismatch_errors_total
	volume_manager_selinux_volume_context_mismatch_warnings_total volume_manager_selinux_volumes_admitted_total
	volume_manager_total_volumes volume_operation_total_seconds workqueue_adds_total workqueue_depth workqueue_longest_running_processor_seconds
	workqueue_queue_duration_seconds workqueue_retries_total workqueue_unfinished_work_seconds workqueue_work_duration_seconds
`;

test('a whole agent tells under all of their names', async (t) => {
	t.timeout(120_000);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-names-'));
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	const metrics = createMetrics();
	const client = createClient(new TransportMetrics(metrics, realClock).measured(api.client.transport, 'api'));
	await client.create(NAMESPACES, { metadata: { name: 'n' } });
	await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'n', name: 'default' } });
	const readOnlyPort = await ownPort('127.0.0.1');
	const kubelet = settingsOf({
		readOnlyPort,
		cgroupsPerQOS: false,
		enforceNodeAllocatable: [],
		evictionHard: { 'memory.available': '1Mi' },
	});
	const agent = createAgent(
		{
			...{ nodeName: 'node', rootDir: dir, podLogsDir: join(dir, 'logs'), nodeIps: ['127.0.0.1'], clusterDns: [], clusterDomain: 'c' },
			...{
				port: 0,
				bindAddress: '127.0.0.1',
				serving: () => undefined,
				clientCas: () => '',
				cgroupParent: '',
				version: 'v1.36.0',
				kubelet,
			},
		},
		{ client, runtime: new SimulatedRuntime({ clock: realClock, images: ['i:latest'] }), clock: realClock, log: noLog, metrics },
	);
	const ready = Promise.withResolvers<void>();
	const running = agent.run(stop.signal, ready.resolve);
	running.catch(ready.reject);
	t.teardown(async () => {
		stop.abort();
		await Promise.all([running, api.stopped]);
		await rm(dir, { recursive: true, force: true });
	});
	await ready.promise;
	const volumes = [{ name: 'v', emptyDir: {} }];
	const containers = [c({ imagePullPolicy: 'IfNotPresent' })];
	await client.create(PODS, {
		metadata: { namespace: 'n', name: 'p' },
		spec: { nodeName: 'node', automountServiceAccountToken: false, containers, volumes },
	});
	await eventually('the pod running', async () => (await client.get(PODS, 'n/p')).status?.phase === 'Running');
	const body = { metadata: { labels: { news: 'yes' } } };
	await client.patch(PODS, 'n/p', { type: 'merge', body });
	const text = await eventually('another look at the pod', async () => {
		const said = await (await fetch(`http://127.0.0.1:${readOnlyPort}/metrics`)).text();
		return /^kubelet_pleg_pod_relist_duration_seconds_count [1-9]/m.test(said) && said;
	});
	const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
	t.deepEqual(
		NAMES.trim()
			.split(/\s+/)
			.filter((name) => !types.includes(name)),
		[],
	);
	t.deepEqual(
		types.filter((name, i) => types.indexOf(name) !== i),
		[],
		'each is told once',
	);
	t.regex(text, /^kubelet_evented_pleg_connection_success_count 1$/m);
});
