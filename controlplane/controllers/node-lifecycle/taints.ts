/** Which taints a node's conditions ask for. Pure; upstream's nodelifecycle tables. */
import type { Node, Taint } from '../../../api/gen/types.ts';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** Condition, its value, the NoSchedule taint it means. */
const BY_CONDITION: readonly (readonly [string, string, string])[] = [
	['Ready', 'False', NOT_READY],
	['Ready', 'Unknown', UNREACHABLE],
	['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
	['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
	['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
	['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const OWN_NO_SCHEDULE = new Set([...BY_CONDITION.map(([, , key]) => key), UNSCHEDULABLE]);
const OWN_NO_EXECUTE = new Set([NOT_READY, UNREACHABLE]);

/** The node's taints with this controller's own put right; the very same array when nothing changes. */
export function wantedTaints(node: Node, evict: boolean, now: string): readonly Taint[] {
	const before = node.spec?.taints ?? [];
	const noSchedule = new Set(BY_CONDITION.filter(([type, status]) => conditionOf(node, type) === status).map(([, , key]) => key));
	if (node.spec?.unschedulable === true) noSchedule.add(UNSCHEDULABLE);
	const ready = conditionOf(node, 'Ready');
	// A node that has said nothing yet keeps the taint it was born with.
	if (ready === undefined && before.some((t) => t.key === NOT_READY && t.effect === 'NoSchedule')) noSchedule.add(NOT_READY);
	const noExecute = new Set<string>();
	if (evict && ready === 'False') noExecute.add(NOT_READY);
	if (evict && ready === 'Unknown') noExecute.add(UNREACHABLE);
	const wanted: Taint[] = before.filter(({ key, effect }) => {
		if (effect === 'NoSchedule' && OWN_NO_SCHEDULE.has(key)) return noSchedule.delete(key);
		if (effect === 'NoExecute' && OWN_NO_EXECUTE.has(key)) return noExecute.delete(key);
		return true;
	});
	for (const key of noSchedule) wanted.push({ key, effect: 'NoSchedule', timeAdded: now });
	for (const key of noExecute) wanted.push({ key, effect: 'NoExecute', timeAdded: now });
	return wanted.length === before.length && wanted.every((taint, i) => taint === before[i]) ? before : wanted;
}

/** Its pods are on their way out. */
export function isEvicting(node: Node): boolean {
	return (node.spec?.taints ?? []).some(({ key, effect }) => effect === 'NoExecute' && OWN_NO_EXECUTE.has(key));
}

export function conditionOf(node: Node, type: string): string | undefined {
	return node.status?.conditions?.find((c) => c.type === type)?.status;
}
