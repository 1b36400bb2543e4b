/** Conditions of a CustomResourceDefinition. Pure. */
import type {
	CustomResourceDefinition,
	CustomResourceDefinitionCondition,
	CustomResourceDefinitionStatus,
} from '../../../api/gen/types.ts';
import { timeOf } from '../../../api/time.ts';
import { approvalOf } from '../../../api/validation/api-approval.ts';
import { caBundleFault } from '../../../api/validation/ca-bundle.ts';
import { namesOf } from './names.ts';

export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

export type Condition = Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>;

export function isEstablished(definition: CustomResourceDefinition): boolean {
	return conditionOf(definition, 'Established')?.status === 'True';
}

export function conditionOf({ status }: CustomResourceDefinition, type: string): CustomResourceDefinitionCondition | undefined {
	return status?.conditions?.find((condition) => condition.type === type);
}

/** What the status has to be by the names of the others; the same object when it is that already. */
export function nextStatus(
	definition: CustomResourceDefinition,
	others: readonly CustomResourceDefinition[],
	now: number,
): CustomResourceDefinition {
	const { accepted, conflict } = namesOf(definition, others);
	const conditions: Condition[] = [
		conflict === undefined
			? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
			: { type: 'NamesAccepted', status: 'False', ...conflict },
	];
	const established = establishment(definition, conflict === undefined);
	if (established !== undefined) conditions.push(established);
	const approval = approvalCondition(definition);
	if (approval !== undefined) conditions.push(approval);
	const changed = withConditions(definition, conditions, now);
	const same = JSON.stringify(sortedEntries(accepted)) === JSON.stringify(sortedEntries(definition.status?.acceptedNames));
	if (same) return changed;
	return { ...changed, status: { ...(changed.status as CustomResourceDefinitionStatus), acceptedNames: accepted } };
}

/** What is established stays so; what is not needs its names, and authorities of its webhook that can be believed. */
function establishment(definition: CustomResourceDefinition, isAccepted: boolean): Condition | undefined {
	const type = 'Established';
	const before = conditionOf(definition, type);
	if (before?.status === 'True') return undefined;
	if (!isAccepted)
		return before === undefined ? { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' } : undefined;
	return caBundleFault(definition.spec.conversion?.webhook?.clientConfig?.caBundle) === undefined
		? { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
		: { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
}

function sortedEntries(names: object | undefined): unknown {
	return Object.entries(names ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Groups of the community: whether the annotation says that the API was approved. */
function approvalCondition(definition: CustomResourceDefinition): Condition | undefined {
	const approval = approvalOf(definition);
	if (approval === undefined) return undefined;
	const type = 'KubernetesAPIApprovalPolicyConformant';
	switch (approval.state) {
		case 'approved':
			return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval.value}` };
		case 'bypassed':
			return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(approval.value)}` };
		case 'missing':
			return {
				type,
				status: 'False',
				reason: 'MissingAnnotation',
				message:
					'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
			};
		case 'invalid':
			return {
				type,
				status: 'False',
				reason: 'InvalidAnnotation',
				message:
					'protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
			};
	}
}

/** The definition with these conditions set; the same object when they are. */
export function withConditions(definition: CustomResourceDefinition, wanted: readonly Condition[], now: number): CustomResourceDefinition {
	const before = (definition.status?.conditions ?? []).map(ofNoGeneration);
	let conditions = [...before];
	let isChanged = before.some((condition, i) => condition !== definition.status?.conditions?.[i]);
	for (const condition of wanted) {
		const old = before.find(({ type }) => type === condition.type);
		if (old !== undefined && old.status === condition.status && old.reason === condition.reason && old.message === condition.message)
			continue;
		isChanged = true;
		const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : timeOf(now);
		const made: CustomResourceDefinitionCondition = { ...condition, lastTransitionTime };
		conditions = old === undefined ? [...conditions, made] : conditions.map((one) => (one === old ? made : one));
	}
	if (!isChanged) return definition;
	return { ...definition, status: { ...(definition.status as CustomResourceDefinitionStatus), conditions } };
}

/** As upstream has conditions. A generation that is not kept up, as earlier versions wrote it, has `kubectl wait` wait for another one. */
function ofNoGeneration(condition: CustomResourceDefinitionCondition): CustomResourceDefinitionCondition {
	const { observedGeneration, ...others } = condition;
	return observedGeneration === undefined ? condition : others;
}
