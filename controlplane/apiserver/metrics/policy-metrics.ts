/** What admission policies decided, under upstream's names. */
import { Counter, Histogram, type Registry } from '../../../base/metrics.ts';

export type PolicyError = 'no_error' | 'compile_error' | 'invalid_error' | 'out_of_budget';
export type Enforcement = 'allow' | 'deny' | 'audit' | 'warn';

export interface PolicyMeasures {
	validated(policy: string, binding: string, error: PolicyError, action: Enforcement, seconds: number): void;
	mutated(policy: string, binding: string, error: PolicyError, seconds: number): void;
}

const SECONDS = [0.0000005, 0.001, 0.01, 0.1, 1];
const VALIDATING = ['policy', 'policy_binding', 'error_type', 'enforcement_action'] as const;
const MUTATING = ['policy', 'policy_binding', 'error_type'] as const;

export function policyMetrics(registry: Registry): PolicyMeasures {
	const registers = [registry];
	const validating = new Counter<(typeof VALIDATING)[number]>({
		...{ name: 'apiserver_validating_admission_policy_check_total', labelNames: VALIDATING, registers },
		help: 'Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
	});
	const validatingSeconds = new Histogram<(typeof VALIDATING)[number]>({
		...{ name: 'apiserver_validating_admission_policy_check_duration_seconds', labelNames: VALIDATING, registers },
		help: 'Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
		buckets: SECONDS,
	});
	const mutating = new Counter<(typeof MUTATING)[number]>({
		...{ name: 'apiserver_mutating_admission_policy_check_total', labelNames: MUTATING, registers },
		help: 'Mutation admission policy check total, labeled by policy and further identified by binding.',
	});
	const mutatingSeconds = new Histogram<(typeof MUTATING)[number]>({
		...{ name: 'apiserver_mutating_admission_policy_check_duration_seconds', labelNames: MUTATING, registers },
		help: 'Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.',
		buckets: SECONDS,
	});
	return {
		validated(policy, binding, error, action, seconds) {
			const labels = { policy, policy_binding: binding, error_type: error, enforcement_action: action };
			validating.inc(labels);
			validatingSeconds.observe(labels, seconds);
		},
		mutated(policy, binding, error, seconds) {
			const labels = { policy, policy_binding: binding, error_type: error };
			mutating.inc(labels);
			mutatingSeconds.observe(labels, seconds);
		},
	};
}

/** By what its text says: compiling and running out of budget have words of their own. */
export function policyErrorOf(message: string): PolicyError {
	if (message.startsWith('compilation error')) return 'compile_error';
	return message.includes('running out of cost budget') || message.includes('cost limit exceeded') ? 'out_of_budget' : 'invalid_error';
}
