/** How the metric of refused pods names the reason: reasons are anybody's words, and labels are kept few, as upstream has it. Pure. */

const KNOWN: ReadonlySet<string> = new Set([
	...['AppArmor', 'PodOSSelectorNodeLabelDoesNotMatch', 'PodOSNotSupported', 'InvalidNodeInfo', 'InitContainerRestartPolicyForbidden'],
	...['SupplementalGroupsPolicyNotSupported', 'UnexpectedAdmissionError', 'UnknownReason', 'UnexpectedPredicateFailureType'],
	...['OutOfcpu', 'OutOfmemory', 'OutOfephemeral-storage', 'OutOfpods', 'PodLevelResourcesNotSupported', 'PodFeatureUnsupported'],
	// Of taints upstream's list has the words of the message, not the reason: a refusal for taints is one of the others.
	...['Evicted', 'SysctlForbidden', 'TopologyAffinityError', 'NodeShutdown', 'VolumeAttachmentLimitExceeded'],
]);

export function reasonLabel(reason: string): string {
	if (KNOWN.has(reason)) return reason;
	return reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other';
}
