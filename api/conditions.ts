/** Conditions of an object's status (apimachinery api/meta SetStatusCondition). Pure. */
import { timeOf } from './time.ts';

/** The list with this condition in the place of the one of its type; its transition time stays where its status stays. */
export function withCondition<
	C extends { readonly type: string; readonly status: string; readonly lastTransitionTime?: string | undefined },
>(conditions: readonly C[] | undefined, condition: Omit<C, 'lastTransitionTime'> & Pick<C, 'type' | 'status'>, now: number): C[] {
	const before = (conditions ?? []).find((c) => c.type === condition.type);
	const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timeOf(now);
	const next = { ...condition, lastTransitionTime } as C;
	return before === undefined ? [...(conditions ?? []), next] : (conditions ?? []).map((c) => (c === before ? next : c));
}
