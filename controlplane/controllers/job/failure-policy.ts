/** spec.podFailurePolicy: what a failed pod means: the Job fails at once, or its index, or it counts for nothing. Pure. */
import type { Job, Pod, PodFailurePolicyRule } from '../../../api/gen/types.ts';

/** Why a failed pod fails the Job; undefined when none does. */
export function policyFailure(job: Job, pods: readonly Pod[]): { readonly reason: string; readonly message: string } | undefined {
	const rules = job.spec?.podFailurePolicy?.rules ?? [];
	if (rules.length === 0) return undefined;
	for (const pod of pods) {
		const rule = matchedRule(job, pod);
		if (rule?.action !== 'FailJob') continue;
		return { reason: 'PodFailurePolicy', message: `${whyMatches(rule, pod)} matching FailJob rule at index ${rules.indexOf(rule)}` };
	}
	return undefined;
}

/** The first rule that says what a failed pod means. */
export function matchedRule(job: Job, pod: Pod): PodFailurePolicyRule | undefined {
	if (pod.status?.phase !== 'Failed') return undefined;
	return (job.spec?.podFailurePolicy?.rules ?? []).find((rule) => whyMatches(rule, pod) !== undefined);
}

function whyMatches(rule: PodFailurePolicyRule, pod: Pod): string | undefined {
	const { namespace, name } = pod.metadata;
	const codes = rule.onExitCodes;
	if (codes !== undefined) {
		for (const status of [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]) {
			const code = status.state?.terminated?.exitCode;
			if (code === undefined || code === 0 || (codes.containerName !== undefined && codes.containerName !== status.name)) continue;
			if (codes.values.includes(code) === (codes.operator === 'In'))
				return `Container ${status.name} for pod ${namespace}/${name} failed with exit code ${code}`;
		}
		return undefined;
	}
	for (const wanted of rule.onPodConditions ?? []) {
		const found = (pod.status?.conditions ?? []).find((c) => c.type === wanted.type && c.status === (wanted.status ?? 'True'));
		if (found !== undefined) return `Pod ${namespace}/${name} has condition ${found.type}`;
	}
	return undefined;
}
