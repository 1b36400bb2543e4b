/** What a ReplicaSet needs: how many pods more or fewer, which ones go first, and its status. Pure. */
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '../../../api/gen/types.ts';
import { timeOf } from '../../../api/time.ts';
import { isAvailable, isReady, readySince } from '../../../api/pod/conditions.ts';
import { isActive, isTerminal } from '../../../api/pod/phase.ts';
import { matchesLabels } from '../../../api/selector/label.ts';
import { lessUseful, type Finer } from '../least-useful.ts';

/** At most this many pods are created or deleted in one go (upstream's BurstReplicas). */
export const BURST_REPLICAS = 500;

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** How many pods to create (positive) or delete (negative) now. */
export function difference(rs: ReplicaSet, active: readonly Pod[]): number {
	const missing = (rs.spec?.replicas ?? 1) - active.length;
	return Math.max(-BURST_REPLICAS, Math.min(BURST_REPLICAS, missing));
}

/** The pods to delete, in upstream's order (ActivePodsWithRanks): the least useful first. `related` are the active pods of all sets of the same owner. */
export function victims(active: readonly Pod[], related: readonly Pod[], count: number, now: number): readonly Pod[] {
	const perNode = Map.groupBy(related, (p) => p.spec?.nodeName ?? '');
	const rank = (p: Pod): number => perNode.get(p.spec?.nodeName ?? '')?.length ?? 0;
	const among = (a: Pod, b: Pod): number => deletionCost(a) - deletionCost(b) || rank(b) - rank(a);
	const finer: Finer = { among, byAge: (a, b, since) => byAge(a, b, since, now) };
	return active.toSorted((a, b) => lessUseful(a, b, finer)).slice(0, count);
}

function deletionCost(pod: Pod): number {
	const text = pod.metadata.annotations?.[DELETION_COST] ?? '';
	return /^-?\d{1,10}$/.test(text) ? Number(text) : 0;
}

/** What has no time comes first, then what is younger. */
function byAge(a: Pod, b: Pod, [since, other]: readonly [number, number], now: number): number {
	if (since === other) return 0;
	if (since === 0 || other === 0) return since - other;
	return magnitude(now - since) - magnitude(now - other) || ((a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1);
}

/** Ages compare by order of magnitude, so that the choice among old pods is even (upstream's LogarithmicScaleDown, which counts nanoseconds). */
function magnitude(ageMs: number): number {
	return ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1e6));
}

/** The status that the pods show. `failure` is why pods could not be created or deleted, if so. */
export function statusOf(
	rs: ReplicaSet,
	owned: readonly Pod[],
	failure: { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string } | undefined,
	now: number,
): ReplicaSetStatus {
	const active = owned.filter(isActive);
	const template = rs.spec?.template?.metadata?.labels ?? {};
	const labelled = active.filter((p) => matchesLabels(template, p.metadata.labels ?? {}));
	const minReady = rs.spec?.minReadySeconds ?? 0;
	const status: ReplicaSetStatus = {
		replicas: active.length,
		fullyLabeledReplicas: labelled.length,
		readyReplicas: active.filter(isReady).length,
		availableReplicas: active.filter((p) => isAvailable(p, minReady, now)).length,
		terminatingReplicas: owned.filter((p) => p.metadata.deletionTimestamp !== undefined && !isTerminal(p)).length,
		observedGeneration: rs.metadata.generation,
	};
	const conditions = withFailure(rs.status?.conditions ?? [], failure, now);
	return conditions.length === 0 ? status : { ...status, conditions: [...conditions] };
}

function withFailure(
	before: readonly ReplicaSetCondition[],
	failure: { readonly reason: string; readonly message: string } | undefined,
	now: number,
): readonly ReplicaSetCondition[] {
	const others = before.filter((c) => c.type !== 'ReplicaFailure');
	if (failure === undefined) return others;
	if (others.length < before.length) return before; // as upstream: the first failure is told until there is none
	return [...others, { type: 'ReplicaFailure', status: 'True', ...failure, lastTransitionTime: timeOf(now) }];
}

/** When to look again because a pod becomes available by time alone, in ms; undefined when none does. */
export function msUntilAvailable(rs: ReplicaSet, owned: readonly Pod[], now: number): number | undefined {
	const minReadyMs = (rs.spec?.minReadySeconds ?? 0) * 1000;
	if (minReadyMs === 0) return undefined;
	const waits = owned
		.filter(isActive)
		.map((p) => readySince(p))
		.filter((since) => since !== undefined && since + minReadyMs > now)
		.map((since) => (since ?? 0) + minReadyMs - now);
	return waits.length === 0 ? undefined : Math.min(...waits);
}
