/** Conditions of an object's status (apimachinery api/meta SetStatusCondition). Pure. */
import type { Condition } from '../../api/gen/types.ts';
import { timeOf } from '../../api/time.ts';

/** The list with this condition in the place of the one of its type; its transition time stays where its status stays. */
export function withCondition(
	conditions: readonly Condition[] | undefined,
	condition: Omit<Condition, 'lastTransitionTime'>,
	now: number,
): Condition[] {
	const before = (conditions ?? []).find((c) => c.type === condition.type);
	const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timeOf(now);
	const next: Condition = { ...condition, lastTransitionTime };
	return before === undefined ? [...(conditions ?? []), next] : (conditions ?? []).map((c) => (c === before ? next : c));
}
