/** How fast and how far an autoscaler may go: stabilization windows, policies, the least and the most (upstream's normalization). Pure. */
import type { HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscalerSpec } from '../../../api/gen/types.ts';

/** Where nothing is said of behaviour: the highest of the last recommendations counts for so long. */
const STABILIZATION_MS = 300_000;
/** And at once no more than twice as many, or this. */
const LEAST_UP_LIMIT = 4;

/** A recommendation, or a change of so many replicas. */
export interface Remembered {
	readonly at: number;
	readonly replicas: number;
}

/** What is remembered of one autoscaler. */
export interface Past {
	readonly recommended: readonly Remembered[];
	/** Changes, upwards and downwards. */
	readonly ups: readonly Remembered[];
	readonly downs: readonly Remembered[];
}

export const NO_PAST: Past = { recommended: [], ups: [], downs: [] };

/** Why a condition has its status. */
export interface Reason {
	readonly reason: string;
	readonly message: string;
}

export interface Paced {
	readonly replicas: number;
	/** Of the condition AbleToScale. */
	readonly able: Reason;
	/** Of the condition ScalingLimited. */
	readonly limited: Reason & { readonly is: boolean };
}

const READY: Reason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const WITHIN: Reason = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const TOO_MANY: Reason = { reason: 'TooManyReplicas', message: 'the desired replica count is more than the maximum replica count' };
const TOO_FEW: Reason = { reason: 'TooFewReplicas', message: 'the desired replica count is less than the minimum replica count' };
const TOO_FAST_UP: Reason = {
	reason: 'ScaleUpLimit',
	message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const TOO_FAST_DOWN: Reason = {
	reason: 'ScaleDownLimit',
	message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const UP_STABILIZED: Reason = {
	reason: 'ScaleUpStabilized',
	message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const DOWN_STABILIZED: Reason = {
	reason: 'ScaleDownStabilized',
	message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};

export function paced(spec: HorizontalPodAutoscalerSpec, past: Past, current: number, desired: number, now: number): Paced {
	const stable = spec.behavior === undefined ? stabilized(past, desired, now) : stabilizedBoth(spec, past, current, desired, now);
	const [replicas, limit] = spec.behavior === undefined ? limited(spec, current, stable) : limitedByRules(spec, past, current, stable, now);
	const able = stable === desired ? READY : desired >= current && spec.behavior !== undefined ? UP_STABILIZED : DOWN_STABILIZED;
	return { replicas, able, limited: { ...limit, is: replicas !== stable } };
}

function stabilized({ recommended }: Past, desired: number, now: number): number {
	return Math.max(desired, ...within(recommended, now, STABILIZATION_MS));
}

/** Upwards the lowest of the window counts, downwards the highest. */
function stabilizedBoth(
	{ behavior }: HorizontalPodAutoscalerSpec,
	{ recommended }: Past,
	current: number,
	desired: number,
	now: number,
): number {
	const up = Math.min(desired, ...within(recommended, now, windowMs(behavior?.scaleUp, 0)));
	const down = Math.max(desired, ...within(recommended, now, windowMs(behavior?.scaleDown, STABILIZATION_MS)));
	return Math.min(Math.max(current, up), down);
}

export function windowMs(rules: HPAScalingRules | undefined, otherwise: number): number {
	return rules?.stabilizationWindowSeconds === undefined ? otherwise : rules.stabilizationWindowSeconds * 1000;
}

function within(past: readonly Remembered[], now: number, ms: number): readonly number[] {
	return past.filter(({ at }) => at > now - ms).map(({ replicas }) => replicas);
}

function limited(spec: HorizontalPodAutoscalerSpec, current: number, desired: number): readonly [number, Reason] {
	const least = spec.minReplicas ?? 1;
	const fastest = Math.max(2 * current, LEAST_UP_LIMIT);
	if (desired < least) return [least, TOO_FEW];
	const most = Math.min(spec.maxReplicas, fastest);
	return desired > most ? [most, spec.maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY] : [desired, WITHIN];
}

function limitedByRules(
	{ behavior, minReplicas = 1, maxReplicas }: HorizontalPodAutoscalerSpec,
	past: Past,
	current: number,
	desired: number,
	now: number,
): readonly [number, Reason] {
	if (desired > current) {
		const fastest = Math.max(upLimit(behavior?.scaleUp, past, current, now), current);
		const most = Math.min(maxReplicas, fastest);
		if (desired > most) return [most, maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY];
	} else if (desired < current) {
		const fastest = Math.min(downLimit(behavior?.scaleDown, past, current, now), current);
		const least = Math.max(minReplicas, fastest);
		if (desired < least) return [least, minReplicas < fastest ? TOO_FAST_DOWN : TOO_FEW];
	}
	return [desired, WITHIN];
}

function upLimit(rules: HPAScalingRules | undefined, past: Past, current: number, now: number): number {
	const proposed = (rules?.policies ?? []).map((policy) => {
		const before = atStart(policy, past, current, now);
		// Rounded up: a small share of few would never grow.
		return policy.type === 'Pods' ? before + policy.value : Math.ceil(before * (1 + policy.value / 100));
	});
	return selected(rules, proposed, current, { loosest: Math.max, tightest: Math.min });
}

function downLimit(rules: HPAScalingRules | undefined, past: Past, current: number, now: number): number {
	const proposed = (rules?.policies ?? []).map((policy) => {
		const before = atStart(policy, past, current, now);
		return policy.type === 'Pods' ? before - policy.value : Math.trunc(before * (1 - policy.value / 100));
	});
	return selected(rules, proposed, current, { loosest: Math.min, tightest: Math.max });
}

type Choice = (...of: readonly number[]) => number;

function selected(
	rules: HPAScalingRules | undefined,
	proposed: readonly number[],
	current: number,
	by: { readonly loosest: Choice; readonly tightest: Choice },
): number {
	if (rules?.selectPolicy === 'Disabled') return current;
	return (rules?.selectPolicy === 'Min' ? by.tightest : by.loosest)(...proposed);
}

/** How many there were when the policy's period began. */
function atStart({ periodSeconds }: HPAScalingPolicy, { ups, downs }: Past, current: number, now: number): number {
	const changed = (past: readonly Remembered[]): number => within(past, now, periodSeconds * 1000).reduce((a, b) => a + b, 0);
	return current - changed(ups) + changed(downs);
}

/** What was recommended now, beside what still counts. */
export function recalling({ behavior }: HorizontalPodAutoscalerSpec, past: Past, replicas: number, now: number): Past {
	const ms =
		behavior === undefined ? STABILIZATION_MS : Math.max(windowMs(behavior.scaleUp, 0), windowMs(behavior.scaleDown, STABILIZATION_MS));
	return { ...past, recommended: [...past.recommended.filter(({ at }) => at > now - ms), { at: now, replicas }] };
}

/** The change that was made now, beside those that policies still count. */
export function changing({ behavior }: HorizontalPodAutoscalerSpec, past: Past, from: number, to: number, now: number): Past {
	const periodMs = (rules: HPAScalingRules | undefined): number =>
		Math.max(0, ...(rules?.policies ?? []).map((p) => p.periodSeconds)) * 1000;
	// Both directions look at both.
	const since = now - Math.max(periodMs(behavior?.scaleUp), periodMs(behavior?.scaleDown));
	const kept = (events: readonly Remembered[]): readonly Remembered[] => events.filter(({ at }) => at > since);
	const change = { at: now, replicas: Math.abs(to - from) };
	return to > from
		? { ...past, ups: [...kept(past.ups), change], downs: kept(past.downs) }
		: { ...past, ups: kept(past.ups), downs: [...kept(past.downs), change] };
}
