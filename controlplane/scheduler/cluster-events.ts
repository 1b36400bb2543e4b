/** What a change means for pods that wait. Pure. */
import type { Node, Pod } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import type { Change } from '../../client/cache.ts';
import type { ClusterEvent } from './framework.ts';

export function nodeEvents({ before, after }: Change<Node>): readonly ClusterEvent[] {
	if (after === undefined) return [];
	if (before === undefined) return ['nodeAdded'];
	const events: ClusterEvent[] = [];
	if (differ(before.spec?.taints, after.spec?.taints) || before.spec?.unschedulable !== after.spec?.unschedulable) events.push('nodeTaint');
	if (differ(before.metadata.labels, after.metadata.labels)) events.push('nodeLabel');
	if (differ(before.status?.allocatable, after.status?.allocatable)) events.push('nodeAllocatable');
	const states = (node: Node): unknown => node.status?.conditions?.map((c) => [c.type, c.status]);
	if (differ(states(before), states(after))) events.push('nodeCondition');
	if (differ(before.status?.declaredFeatures, after.status?.declaredFeatures)) events.push('nodeFeatures');
	return events;
}

/** Events of pods that have a node. */
export function podEvents({ before, after }: Change<Pod>): readonly ClusterEvent[] {
	const was = occupies(before);
	const is = occupies(after);
	if (!was) return is ? ['podAdded'] : [];
	if (!is) return ['podDeleted'];
	const changed = differ(before?.metadata.labels, after?.metadata.labels);
	const shrunk = differ(before?.spec?.containers, after?.spec?.containers) || differ(before?.status?.resources, after?.status?.resources);
	return [...(changed ? (['podAdded'] as const) : []), ...(changed || shrunk ? (['podDeleted'] as const) : [])];
}

/** True where a waiting pod changed in what decides about its place. */
export function waitingPodChanged(before: Pod | undefined, after: Pod): boolean {
	if (before === undefined) return true;
	return [(p: Pod): unknown => p.spec, (p: Pod): unknown => p.metadata.labels, (p: Pod): unknown => p.status?.resourceClaimStatuses].some(
		(part) => differ(part(before), part(after)),
	);
}

function occupies(pod: Pod | undefined): boolean {
	return pod !== undefined && (pod.spec?.nodeName ?? '') !== '' && !isTerminal(pod);
}

function differ(a: unknown, b: unknown): boolean {
	return a !== b && JSON.stringify(a) !== JSON.stringify(b);
}
