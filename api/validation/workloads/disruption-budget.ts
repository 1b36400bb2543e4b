/** PodDisruptionBudgets. */
import { invalidValue } from '../../field-error.ts';
import type { PodDisruptionBudget } from '../../gen/types.ts';
import { conditionList } from '../conditions.ts';
import { percent } from '../names.ts';
import { nonNegative, oneOf, texts, type Errors } from '../rule.ts';
import { labelSelector, valuesAfter, type Values } from '../selectors.ts';

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

export function podDisruptionBudgetStatus(out: Errors, { status }: PodDisruptionBudget): void {
	conditionList(out, 'status.conditions', status?.conditions);
	for (const name of COUNTS) nonNegative(out, `status.${name}`, status?.[name]);
}

export function podDisruptionBudget(out: Errors, object: PodDisruptionBudget): void {
	budgetSpec(out, object, 'checked');
}

export function podDisruptionBudgetUpdate(out: Errors, object: PodDisruptionBudget, old: PodDisruptionBudget): void {
	budgetSpec(out, object, valuesAfter(old.spec?.selector));
}

function budgetSpec(out: Errors, { spec }: PodDisruptionBudget, values: Values): void {
	const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = spec ?? {};
	if (minAvailable !== undefined && maxUnavailable !== undefined)
		out.push(
			invalidValue(
				'spec',
				{
					MinAvailable: minAvailable,
					Selector: spec?.selector ?? null,
					MaxUnavailable: maxUnavailable,
					UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
				},
				'minAvailable and maxUnavailable cannot be both set',
			),
		);
	for (const [key, value] of Object.entries({ minAvailable, maxUnavailable })) {
		if (typeof value === 'number') nonNegative(out, `spec.${key}`, value);
		else if (value !== undefined) {
			texts(out, `spec.${key}`, value, percent(value));
			if (percent(value).length === 0 && Number.parseInt(value, 10) > 100)
				out.push(invalidValue(`spec.${key}`, value, 'must not be greater than 100%'));
		}
	}
	labelSelector(out, 'spec.selector', spec?.selector, values);
	oneOf(out, 'spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget']);
}
