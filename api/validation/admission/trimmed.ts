/** Expressions as upstream compiles them to see whether they are any: some without the white space around them, though it runs them as they are. */
import type { MatchCondition, MutatingAdmissionPolicySpec, ValidatingAdmissionPolicySpec } from '../../gen/types.ts';
import { goTrim } from '../../go-trim.ts';

export function trimmedConditions(conditions: readonly MatchCondition[]): MatchCondition[] {
	return conditions.map((one) => ({ ...one, expression: goTrim(one.expression) }));
}

/** Validations, their messages and variables stay as they are. */
export function trimmedValidating(spec: ValidatingAdmissionPolicySpec): ValidatingAdmissionPolicySpec {
	const { matchConditions = [], auditAnnotations = [] } = spec;
	return {
		...spec,
		matchConditions: trimmedConditions(matchConditions),
		auditAnnotations: auditAnnotations.map((one) => ({ ...one, valueExpression: goTrim(one.valueExpression) })),
	};
}

export function trimmedMutating(spec: MutatingAdmissionPolicySpec): MutatingAdmissionPolicySpec {
	const { matchConditions = [], mutations = [] } = spec;
	return {
		...spec,
		matchConditions: trimmedConditions(matchConditions),
		mutations: mutations.map(({ applyConfiguration: apply, jsonPatch: patch, ...one }) => ({
			...one,
			...(apply === undefined ? {} : { applyConfiguration: trimmed(apply) }),
			...(patch === undefined ? {} : { jsonPatch: trimmed(patch) }),
		})),
	};
}

function trimmed<T extends { readonly expression?: string | undefined }>(part: T): T {
	return part.expression === undefined ? part : { ...part, expression: goTrim(part.expression) };
}
