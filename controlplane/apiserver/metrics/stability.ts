/** How far upstream stands by its metrics, which it says in front of what each of them is (test/instrumentation, documentation-list.yaml of Kubernetes). Pure. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const STABLE = words(`
	apiserver_admission_controller_admission_duration_seconds apiserver_admission_step_admission_duration_seconds
	apiserver_admission_webhook_admission_duration_seconds apiserver_current_inflight_requests apiserver_longrunning_requests
	apiserver_request_duration_seconds apiserver_request_total apiserver_requested_deprecated_apis apiserver_response_sizes
	apiserver_storage_objects apiserver_storage_size_bytes cronjob_controller_job_creation_skew_duration_seconds
	job_controller_job_pods_finished_total job_controller_job_sync_duration_seconds job_controller_job_syncs_total
	job_controller_jobs_finished_total kube_pod_resource_limit kube_pod_resource_request kubernetes_healthcheck kubernetes_healthchecks_total
	node_collector_evictions_total scheduler_framework_extension_point_duration_seconds scheduler_pending_pods
	scheduler_pod_scheduling_attempts scheduler_preemption_attempts_total scheduler_preemption_victims scheduler_queue_incoming_pods_total
	scheduler_schedule_attempts_total scheduler_scheduling_attempt_duration_seconds
`);

const BETA = words(`
	apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds
	apiserver_authentication_config_controller_automatic_reloads_total
	apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds
	apiserver_authorization_config_controller_automatic_reloads_total
	apiserver_cel_compilation_duration_seconds apiserver_cel_evaluation_duration_seconds apiserver_flowcontrol_current_executing_requests
	apiserver_flowcontrol_current_executing_seats apiserver_flowcontrol_current_inqueue_requests apiserver_flowcontrol_dispatched_requests_total
	apiserver_flowcontrol_nominal_limit_seats apiserver_flowcontrol_rejected_requests_total apiserver_flowcontrol_request_wait_duration_seconds
	apiserver_storage_events_received_total apiserver_validating_admission_policy_check_duration_seconds
	apiserver_validating_admission_policy_check_total apiserver_validation_declarative_validation_mismatch_total
	apiserver_validation_declarative_validation_panic_total apiserver_watch_list_duration_seconds disabled_metrics_total hidden_metrics_total
	kubernetes_build_info kubernetes_feature_enabled registered_metrics_total running_managed_controllers
	scheduler_pod_scheduling_sli_duration_seconds workqueue_adds_total workqueue_depth workqueue_longest_running_processor_seconds
	workqueue_queue_duration_seconds workqueue_retries_total workqueue_unfinished_work_seconds workqueue_work_duration_seconds
`);

/** Upstream's timing ratio histograms say it twice. */
const EXPERIMENTAL = words(`
	apiserver_flowcontrol_demand_seats apiserver_flowcontrol_priority_level_request_utilization
	apiserver_flowcontrol_priority_level_seat_utilization apiserver_flowcontrol_read_vs_write_current_requests
`);

const DEPRECATED: Readonly<Record<string, string>> = { apiserver_storage_objects: '1.34.0' };

/** Of the process and of the language, which Prometheus's own libraries count, and of this project alone. */
const NOBODYS = /^(process|nodejs|kubeling)_/;

type Level = 'ALPHA' | 'BETA' | 'STABLE';

/** Undefined: nobody says how stable it is. What upstream does not have is as it makes new ones. */
export function levelOf(name: string): Level | undefined {
	if (STABLE.has(name)) return 'STABLE';
	if (BETA.has(name)) return 'BETA';
	return NOBODYS.test(name) ? undefined : 'ALPHA';
}

/** The version of Kubernetes; '' for what is not deprecated. */
export function deprecatedSince(name: string): string {
	return DEPRECATED[name] ?? '';
}

/** What a metric is, with its level in front unless it says it by itself. */
export function leveledHelp(name: string, help: string): string {
	const level = levelOf(name);
	if (level === undefined || /^\[(?:ALPHA|BETA|STABLE)\]/.test(help)) return help;
	const since = deprecatedSince(name);
	const deprecated = since === '' ? '' : `(Deprecated since ${since}) `;
	return `${EXPERIMENTAL.has(name) ? 'EXPERIMENTAL: ' : ''}[${level}] ${deprecated}${help}`;
}
