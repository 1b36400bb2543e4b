/** What the claims of a pod are made of, and who still uses a claim. Pure. */
import type {
	Pod,
	PodResourceClaim,
	ResourceClaimConsumerReference,
	ResourceClaimTemplate,
	ResourceResourceClaim,
} from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { PODS } from '../../../api/resources.ts';
import { controllerRef } from '../owned.ts';

/** On a claim: of which of the pod's claims it is. */
export const POD_CLAIM = 'resource.kubernetes.io/pod-claim-name';
/** On a claim that the scheduler made for a pod's extended resources. */
export const EXTENDED_CLAIM = 'resource.kubernetes.io/extended-resource-claim';
/** Room for a hyphen and five letters in a name of 63. */
const MAX_BASE = 57;

export function claimFrom(
	template: ResourceClaimTemplate,
	pod: Pod & KubeObject,
	{ name: claim }: PodResourceClaim,
): ResourceResourceClaim & KubeObject {
	const { annotations, labels } = template.spec.metadata ?? {};
	const { blockOwnerDeletion: _, ...owner } = controllerRef(PODS, pod);
	return {
		metadata: {
			generateName: baseOf(pod.metadata.name ?? '', claim),
			namespace: pod.metadata.namespace,
			annotations: { ...annotations, [POD_CLAIM]: claim },
			...(labels === undefined ? {} : { labels }),
			ownerReferences: [owner],
		},
		spec: structuredClone(template.spec.spec),
	};
}

/** Both names are shortened alike where they are too long together. */
function baseOf(pod: string, claim: string): string {
	const base = `${pod}-${claim}-`;
	if (base.length <= MAX_BASE) return base;
	const part = (name: string): string => name.slice(0, Math.trunc((name.length * MAX_BASE) / base.length));
	return `${part(pod)}-${part(claim)}`;
}

/** It will not run any more, or never did. */
export function isDone(pod: Pod): boolean {
	return isTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && (pod.spec?.nodeName ?? '') === '');
}

export function isPod({ apiGroup = '', resource }: ResourceClaimConsumerReference): boolean {
	return apiGroup === '' && resource === PODS.plural;
}
