/** What the pod security levels said, under upstream's names. */
import { Counter, type Registry } from '../../../base/metrics.ts';
import type { AdmissionAttributes } from '../contracts.ts';

export interface PodSecurityMeasures {
	evaluated(
		attributes: AdmissionAttributes,
		of: { readonly mode: 'enforce' | 'audit' | 'warn'; readonly level: string; readonly version: string },
		allowed: boolean,
	): void;
	exempted(attributes: AdmissionAttributes): void;
	failed(attributes: AdmissionAttributes, fatal: boolean): void;
}

const REQUEST = ['request_operation', 'resource', 'subresource'] as const;
const EVALUATION = ['decision', 'policy_level', 'policy_version', 'mode', ...REQUEST] as const;

export function podSecurityMetrics(registry: Registry): PodSecurityMeasures {
	const registers = [registry];
	const evaluations = new Counter<(typeof EVALUATION)[number]>({
		...{ name: 'pod_security_evaluations_total', labelNames: EVALUATION, registers },
		help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
	});
	const exemptions = new Counter<(typeof REQUEST)[number]>({
		...{ name: 'pod_security_exemptions_total', labelNames: REQUEST, registers },
		help: 'Number of exempt requests, not counting ignored or out of scope requests.',
	});
	for (const request_operation of ['create', 'update'])
		for (const resource of ['pod', 'controller']) exemptions.inc({ request_operation, resource, subresource: '' }, 0);
	const errors = new Counter<'fatal' | (typeof REQUEST)[number]>({
		...{ name: 'pod_security_errors_total', labelNames: ['fatal', ...REQUEST], registers },
		help: 'Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
	});
	return {
		evaluated(attributes, { mode, level, version }, allowed) {
			const policy = { policy_level: level, policy_version: level === 'privileged' ? 'latest' : version };
			evaluations.inc({ decision: allowed ? 'allow' : 'deny', mode, ...policy, ...requestOf(attributes) });
		},
		exempted: (attributes) => exemptions.inc(requestOf(attributes)),
		failed: (attributes, fatal) => errors.inc({ fatal: String(fatal), ...requestOf(attributes) }),
	};
}

function requestOf({ operation, group, resource, subresource }: AdmissionAttributes): Record<(typeof REQUEST)[number], string> {
	const known = group === '' && resource === 'pods' ? 'pod' : group === '' && resource === 'namespaces' ? 'namespace' : 'controller';
	return { request_operation: operation.toLowerCase(), resource: known, subresource };
}
