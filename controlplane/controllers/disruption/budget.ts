/** What a disruption budget's status says of its pods. Pure; the rules of upstream's pkg/controller/disruption. */
import type { LabelSelector, Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../api/gen/types.ts';
import { scaledValue } from '../../../api/int-or-string.ts';
import { isReady } from '../../../api/pod/conditions.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { withCondition } from '../../../api/conditions.ts';

/** So long an evicted pod may take until its deletion is seen (upstream's DeletionTimeout). */
const DELETION_MS = 2 * 60_000;

/** Whether the pods' controllers must be asked how many pods there should be: percentages, and what may be missing, are of that. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
	return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';
}

export interface Expected {
	readonly expectedPods: number;
	readonly desiredHealthy: number;
}

/** @param scale how many pods their controllers want; counts only where `needsScale` */
export function expectedOf({ spec }: PodDisruptionBudget, pods: readonly Pod[], scale: number): Expected {
	if (spec?.maxUnavailable !== undefined)
		return { expectedPods: scale, desiredHealthy: Math.max(0, scale - scaledValue(spec.maxUnavailable, scale, 'up')) };
	if (typeof spec?.minAvailable === 'string') return { expectedPods: scale, desiredHealthy: scaledValue(spec.minAvailable, scale, 'up') };
	return spec?.minAvailable === undefined
		? { expectedPods: 0, desiredHealthy: 0 }
		: { expectedPods: pods.length, desiredHealthy: spec.minAvailable };
}

export interface Disrupted {
	/** Evicted pods whose deletion is not seen yet. */
	readonly waiting: Record<string, string>;
	/** Evicted pods that were not deleted in time. */
	readonly late: readonly Pod[];
	/** When to look again, ms since the epoch. */
	readonly recheckAt?: number;
}

export function disruptedPods(budget: PodDisruptionBudget, pods: readonly Pod[], now: number): Disrupted {
	const evicted = budget.status?.disruptedPods ?? {};
	const waiting: Record<string, string> = {};
	const late: Pod[] = [];
	let recheckAt: number | undefined;
	for (const pod of pods) {
		const name = pod.metadata.name ?? '';
		const since = Object.hasOwn(evicted, name) ? evicted[name] : undefined;
		if (since === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
		const until = Date.parse(since) + DELETION_MS;
		if (until < now) late.push(pod);
		else {
			waiting[name] = since;
			recheckAt = Math.min(recheckAt ?? Infinity, until);
		}
	}
	return { waiting, late, ...(recheckAt === undefined ? {} : { recheckAt }) };
}

/** Ready pods that nobody asked to go. */
export function healthyPods(pods: readonly Pod[], waiting: Readonly<Record<string, string>>, now: number): number {
	return pods.filter((pod) => {
		const evicted = waiting[pod.metadata.name ?? ''];
		const isGoing = evicted !== undefined && Date.parse(evicted) + DELETION_MS > now;
		return pod.metadata.deletionTimestamp === undefined && !isGoing && isReady(pod);
	}).length;
}

/** The status to write; undefined where it says all that already. */
export function budgetStatus(
	budget: PodDisruptionBudget,
	expected: Expected,
	currentHealthy: number,
	waiting: Readonly<Record<string, string>>,
	now: number,
): PodDisruptionBudgetStatus | undefined {
	const { expectedPods, desiredHealthy } = expected;
	const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
	const observedGeneration = budget.metadata.generation ?? 0;
	const allowed = disruptionsAllowed > 0;
	const conditions = withCondition(
		budget.status?.conditions,
		{
			type: 'DisruptionAllowed',
			status: allowed ? 'True' : 'False',
			reason: allowed ? 'SufficientPods' : 'InsufficientPods',
			message: '',
			observedGeneration,
		},
		now,
	);
	const before = budget.status;
	const status = {
		disruptedPods: { ...waiting },
		disruptionsAllowed,
		currentHealthy,
		desiredHealthy,
		expectedPods,
		observedGeneration,
		conditions,
	};
	const same =
		before !== undefined &&
		sameButNulls(
			{ ...status, conditions: marks(conditions) },
			{ ...before, disruptedPods: before.disruptedPods ?? {}, conditions: marks(before.conditions) },
		);
	return same ? undefined : status;
}

/** Budgets that could not be worked out allow nothing: it may not be safe. */
export function failedStatus(budget: PodDisruptionBudget, message: string, now: number): PodDisruptionBudgetStatus {
	const { expectedPods = 0, desiredHealthy = 0, currentHealthy = 0, observedGeneration = 0 } = budget.status ?? {};
	const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message, observedGeneration };
	const conditions = withCondition(budget.status?.conditions, condition, now);
	return { ...budget.status, expectedPods, desiredHealthy, currentHealthy, observedGeneration, disruptionsAllowed: 0, conditions };
}

function marks(conditions: PodDisruptionBudgetStatus['conditions']): readonly string[] {
	return (conditions ?? []).filter((c) => c.type === 'DisruptionAllowed').map((c) => `${c.status} ${c.reason}`);
}

/** A selector as Go prints it, in events. */
export function goSelector(selector: LabelSelector | undefined): string {
	if (selector === undefined) return 'nil';
	const labels = Object.entries(selector.matchLabels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
	const expressions = (selector.matchExpressions ?? []).map(
		(e) => `LabelSelectorRequirement{Key:${e.key},Operator:${e.operator},Values:[${(e.values ?? []).join(' ')}],},`,
	);
	const map = labels.map(([key, value]) => `${key}: ${value},`).join('');
	return `&LabelSelector{MatchLabels:map[string]string{${map}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
