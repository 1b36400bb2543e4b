/** Match conditions: all must be true; one that is false decides, whatever the others' errors. Pure. */
import type { PolicyExpressions } from '../../../../api/cel/admission/policy.ts';
import type { Evaluation } from './evaluation.ts';

export type ConditionsOutcome = { readonly matches: boolean } | { readonly error: string };

export function conditionsHold(conditions: PolicyExpressions['conditions'], evaluation: Evaluation): ConditionsOutcome {
	const errors: string[] = [];
	for (const { condition, compiled } of conditions) {
		const outcome = evaluation.evaluate(compiled, condition.expression);
		if ('error' in outcome) errors.push(outcome.error);
		else if (outcome.value === false) return { matches: false };
	}
	if (errors.length === 0) return { matches: true };
	return { error: errors.length === 1 ? `${errors[0]}` : `[${errors.join(', ')}]` };
}
