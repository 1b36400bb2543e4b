/** What does not change: the version, and what upstream counts and cannot happen here, for whoever has alerts on it: objects are validated in one way, discovery tells of no peers, and no metric can be hidden or turned off. */
import { KUBERNETES_VERSION } from '../discovery/version.ts';
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';

const NEVER = [
	['aggregator_discovery_nopeer_requests_total', 'Counter of number of times no-peer (non peer-aggregated) discovery was requested'],
	['aggregator_discovery_peer_aggregated_cache_hits_total', 'Counter of number of times discovery was served from peer-aggregated cache'],
	['aggregator_discovery_peer_aggregated_cache_misses_total', 'Counter of number of times discovery was aggregated across all API servers'],
	['apiserver_validation_duplicate_validation_error_total', 'Number of duplicate validation errors during validation.'],
	['cardinality_enforcement_unexpected_categorizations_total', 'The count of unexpected categorizations during cardinality enforcement.'],
	[
		'apiserver_validation_declarative_validation_mismatch_total',
		'Number of times declarative validation results differed from handwritten validation results for core types.',
	],
	['apiserver_validation_declarative_validation_panic_total', 'Number of times declarative validation has panicked during validation.'],
	['disabled_metrics_total', 'The count of disabled metrics.'],
	['hidden_metrics_total', 'The count of hidden metrics.'],
] as const;

export function constantMetrics(registry: Registry): void {
	const registers = [registry];
	for (const [name, help] of NEVER) new Counter({ name, help, registers });
	const { major, minor, patch } = KUBERNETES_VERSION;
	const version = {
		component: 'kube',
		binary: `${major}.${minor}.${patch}`,
		emulation: `${major}.${minor}`,
		min_compat: `${major}.${Number(minor) - 1}`,
	};
	const labelNames = ['component', 'binary', 'emulation', 'min_compat'] as const;
	const help =
		'Provides the compatibility version info of the component. The component label is the name of the component, usually kube, but is relevant for aggregated-apiservers.';
	new Gauge({ name: 'version_info', help, labelNames, registers }).set(version, 1);
}
