/** What upstream counts and cannot happen here, for whoever has alerts on it: objects are validated in one way, and no metric can be hidden or turned off. */
import { Counter, type Registry } from '../../../base/metrics.ts';

const NEVER = [
	[
		'apiserver_validation_declarative_validation_mismatch_total',
		'Number of times declarative validation results differed from handwritten validation results for core types.',
	],
	['apiserver_validation_declarative_validation_panic_total', 'Number of times declarative validation has panicked during validation.'],
	['disabled_metrics_total', 'The count of disabled metrics.'],
	['hidden_metrics_total', 'The count of hidden metrics.'],
] as const;

export function constantMetrics(registry: Registry): void {
	for (const [name, help] of NEVER) new Counter({ name, help, registers: [registry] });
}
