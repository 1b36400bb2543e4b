/** The next steps of a StatefulSet, in order and one at a time unless it is Parallel, and its status. Pure; upstream's stateful_set_control. */
import type { Pod, StatefulSet, StatefulSetStatus } from '../../../api/gen/types.ts';
import { isAvailable, isReady, readySince } from '../../../api/pod/conditions.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { isInRange, ordinalOf, repaired, replicasOf, revisionOf, startOf } from './identity.ts';

export type Step =
	| { readonly type: 'create'; readonly ordinal: number }
	/** Its claims first, where they are missing; then what of it is not as it should be. */
	| { readonly type: 'repair'; readonly pod: Pod; readonly isPending: boolean }
	| { readonly type: 'delete'; readonly pod: Pod };

/** Names of the revisions: what ready sets have, and what they go to. */
export interface Revisions {
	readonly current: string;
	readonly update: string;
}

export function planSteps(set: StatefulSet, pods: readonly Pod[], { update }: Revisions, now: number): readonly Step[] {
	if (set.metadata.deletionTimestamp !== undefined) return [];
	const ordered = set.spec?.podManagementPolicy !== 'Parallel';
	const steps: Step[] = [];
	const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
	const wanted = Array.from({ length: replicasOf(set) }, (_, i) => startOf(set) + i);
	for (const ordinal of wanted) {
		const pod = byOrdinal.get(ordinal);
		const { step, waits } = replicaStep(set, ordinal, pod, now);
		if (step !== undefined) steps.push(step);
		if (ordered && waits) return steps;
	}
	const condemned = pods.filter((pod) => !isInRange(set, ordinalOf(set, pod)) && ordinalOf(set, pod) >= 0);
	const descending = condemned.toSorted((a, b) => ordinalOf(set, b) - ordinalOf(set, a));
	const kept = wanted.map((ordinal) => byOrdinal.get(ordinal));
	const firstDown = kept.includes(undefined)
		? undefined
		: [...kept, ...descending.toReversed()].find((pod) => pod !== undefined && isUnavailable(set, pod, now));
	for (const pod of descending) {
		const isGoing = pod.metadata.deletionTimestamp !== undefined;
		if (ordered && (isGoing || (isUnavailable(set, pod, now) && pod !== firstDown))) return steps;
		if (isGoing) continue;
		steps.push({ type: 'delete', pod });
		if (ordered) return steps;
	}
	if (steps.some((step) => step.type !== 'repair') || set.spec?.updateStrategy?.type === 'OnDelete') return steps;
	const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
	for (const pod of kept.slice(partition).toReversed()) {
		if (pod === undefined) return steps;
		if (revisionOf(pod) !== update && pod.metadata.deletionTimestamp === undefined) return [...steps, { type: 'delete', pod }];
		if (isUnavailable(set, pod, now)) return steps;
	}
	return steps;
}

function replicaStep(set: StatefulSet, ordinal: number, pod: Pod | undefined, now: number): { step?: Step; waits: boolean } {
	if (pod === undefined) return { step: { type: 'create', ordinal }, waits: true };
	if (isTerminal(pod))
		return pod.metadata.deletionTimestamp === undefined ? { step: { type: 'delete', pod }, waits: true } : { waits: true };
	const isPending = pod.status?.phase === 'Pending';
	const step: Step = { type: 'repair', pod, isPending };
	const waits = isUnavailable(set, pod, now);
	if (waits && !isPending && set.spec?.podManagementPolicy !== 'Parallel') return { waits };
	return isPending || repaired(set, pod) !== undefined ? { step, waits } : { waits };
}

/** Not running, not ready for long enough, or going. */
function isUnavailable(set: StatefulSet, pod: Pod, now: number): boolean {
	return (
		pod.metadata.deletionTimestamp !== undefined ||
		pod.status?.phase !== 'Running' ||
		!isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
	);
}

/** Which of the two revisions a missing pod is made by: those below the partition stay with what there was. */
export function revisionFor(set: StatefulSet, ordinal: number, { current, update }: Revisions): string {
	const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
	if (type === 'OnDelete') return update;
	const below = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
	return ordinal < startOf(set) + below ? current : update;
}

export function statusOf(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, collisions: number, now: number): StatefulSetStatus {
	const created = pods.filter((pod) => (pod.status?.phase ?? '') !== '');
	const ready = created.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
	const living = created.filter((pod) => pod.metadata.deletionTimestamp === undefined);
	const of = (revision: string): number => living.filter((pod) => revisionOf(pod) === revision).length;
	const counts = {
		replicas: created.length,
		readyReplicas: ready.length,
		availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length,
		updatedReplicas: of(revisions.update),
	};
	const replicas = replicasOf(set);
	const isComplete =
		set.spec?.updateStrategy?.type !== 'OnDelete' &&
		[counts.updatedReplicas, counts.readyReplicas, counts.replicas].every((count) => count === replicas);
	return {
		...counts,
		observedGeneration: set.metadata.generation,
		currentReplicas: isComplete ? counts.updatedReplicas : of(revisions.current),
		currentRevision: isComplete ? revisions.update : revisions.current,
		updateRevision: revisions.update,
		collisionCount: collisions,
		...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
	};
}

/** Until a ready pod becomes available by time alone, ms. */
export function msUntilAvailable(set: StatefulSet, pods: readonly Pod[], now: number): number | undefined {
	const minReadyMs = (set.spec?.minReadySeconds ?? 0) * 1000;
	const waits = pods.map((pod) => (readySince(pod) ?? -Infinity) + minReadyMs - now).filter((ms) => ms > 0);
	return minReadyMs === 0 || waits.length === 0 ? undefined : Math.min(...waits);
}
