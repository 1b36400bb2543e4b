/** Conditions of a CustomResourceDefinition. Pure. */
import type {
	CustomResourceDefinition,
	CustomResourceDefinitionCondition,
	CustomResourceDefinitionNames,
	CustomResourceDefinitionStatus,
} from '../../../api/gen/types.ts';
import { isObject } from '../../../api/structural/schema.ts';
import { sameJson } from '../../../api/same-json.ts';
import { timeOf } from '../../../api/time.ts';
import { approvalOf } from '../../../api/validation/definitions/api-approval.ts';
import { caBundleFault } from '../../../api/validation/ca-bundle.ts';
import { OWN_MANAGER } from '../registry/itself.ts';
import { namesOf } from './names.ts';
import { structuralCondition } from './structural-condition.ts';

export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

export type Condition = Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>;

export function isEstablished(definition: CustomResourceDefinition): boolean {
	return conditionOf(definition, 'Established')?.status === 'True';
}

export function isTerminating(definition: CustomResourceDefinition): boolean {
	return conditionOf(definition, 'Terminating')?.status === 'True';
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
	const { accepted, condition } = naming(definition, others);
	const conditions: Condition[] = condition === undefined ? [] : [condition];
	const isAccepted = (condition ?? conditionOf(definition, 'NamesAccepted'))?.status === 'True';
	const established = establishment(definition, isAccepted, condition !== undefined);
	if (established !== undefined) conditions.push(established);
	const approval = approvalCondition(definition);
	if (approval !== undefined) conditions.push(approval);
	const structural = structuralCondition(definition);
	const kept = structural === undefined ? withoutCondition(definition, 'NonStructuralSchema') : definition;
	const changed = withConditions(kept, structural === undefined ? conditions : [...conditions, structural], now);
	if (accepted === undefined || sameNames(accepted, definition.status?.acceptedNames)) return changed;
	return { ...changed, status: { ...(changed.status as CustomResourceDefinitionStatus), acceptedNames: accepted } };
}

/** Names that are granted as they are asked for are not looked at again, whatever somebody has made of the condition (upstream's naming controller). */
function naming(
	definition: CustomResourceDefinition,
	others: readonly CustomResourceDefinition[],
): { readonly accepted: CustomResourceDefinitionNames | undefined; readonly condition: Condition | undefined } {
	const type = 'NamesAccepted';
	const granted = definition.status?.acceptedNames;
	if (sameNames(definition.spec.names, granted)) return { accepted: granted, condition: undefined };
	const { accepted, conflict } = namesOf(definition, others);
	const condition: Condition =
		conflict === undefined
			? { type, status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
			: { type, status: 'False', ...conflict };
	return { accepted, condition };
}

/**
 * What is established stays so; what is not needs its names, and authorities of its webhook that can be believed.
 * @param isNamed whether names were looked at
 */
function establishment(definition: CustomResourceDefinition, isAccepted: boolean, isNamed: boolean): Condition | undefined {
	const type = 'Established';
	const before = conditionOf(definition, type);
	if (before?.status === 'True') return undefined;
	if (!isAccepted)
		return before === undefined && isNamed
			? { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
			: undefined;
	return caBundleFault(definition.spec.conversion?.webhook?.clientConfig?.caBundle) === undefined
		? { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
		: { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
}

/** An empty name or list is none. */
function sameNames(a: object | undefined, b: object | undefined): boolean {
	const given = (names: object | undefined): unknown =>
		Object.fromEntries(Object.entries(names ?? {}).filter(([, name]) => ((name ?? '') as string | readonly unknown[]).length > 0));
	return sameJson(given(a), given(b));
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

function withoutCondition(definition: CustomResourceDefinition, type: string): CustomResourceDefinition {
	const { status } = definition;
	if (status === undefined || conditionOf(definition, type) === undefined) return definition;
	return { ...definition, status: { ...status, conditions: (status.conditions ?? []).filter((one) => one.type !== type) } };
}

/** The definition with these conditions set; the same object when they are. */
export function withConditions(definition: CustomResourceDefinition, wanted: readonly Condition[], now: number): CustomResourceDefinition {
	const before = (definition.status?.conditions ?? []).map((one) => (isClients(definition, one) ? one : ofNoGeneration(one)));
	let conditions = [...before];
	let isChanged = before.some((condition, i) => condition !== definition.status?.conditions?.[i]);
	for (const condition of wanted) {
		const old = before.find(({ type }) => type === condition.type);
		if (old !== undefined && old.status === condition.status && old.reason === condition.reason && old.message === condition.message)
			continue;
		isChanged = true;
		const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
		const made: CustomResourceDefinitionCondition = { ...old, ...condition, lastTransitionTime: since ?? timeOf(now) };
		conditions = old === undefined ? [...conditions, made] : conditions.map((one) => (one === old ? made : one));
	}
	if (!isChanged) return definition;
	return { ...definition, status: { ...(definition.status as CustomResourceDefinitionStatus), conditions } };
}

/** Whether a client wrote the generation beside the condition, as whoever keeps it up does. */
function isClients({ metadata }: CustomResourceDefinition, { type, observedGeneration }: CustomResourceDefinitionCondition): boolean {
	if (observedGeneration === undefined) return false;
	const steps = ['f:status', 'f:conditions', `k:${JSON.stringify({ type })}`, 'f:observedGeneration'];
	const has = (fields: unknown): boolean =>
		steps.reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), fields) !== undefined;
	return (metadata.managedFields ?? []).some(({ manager, fieldsV1 }) => manager !== OWN_MANAGER && has(fieldsV1));
}

/** As upstream has conditions. A generation that is not kept up, as earlier versions of the server wrote it, has `kubectl wait` wait for another one. */
function ofNoGeneration(condition: CustomResourceDefinitionCondition): CustomResourceDefinitionCondition {
	const { observedGeneration, ...others } = condition;
	return observedGeneration === undefined ? condition : others;
}
