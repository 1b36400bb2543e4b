/** The status of a node that is no longer heard of. Pure. */
import type { Node, NodeCondition } from '../../../api/gen/types.ts';

const TYPES = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The node's conditions, all Unknown; undefined when they are already. */
export function unknownConditions(node: Node, now: string): readonly NodeCondition[] | undefined {
	const before = node.status?.conditions ?? [];
	if (TYPES.every((type) => before.find((c) => c.type === type)?.status === 'Unknown')) return undefined;
	const others = before.filter((c) => !TYPES.some((type) => type === c.type));
	const unknown = TYPES.map((type): NodeCondition => {
		const old = before.find((c) => c.type === type);
		if (old === undefined)
			return {
				type,
				status: 'Unknown',
				reason: 'NodeStatusNeverUpdated',
				message: 'Kubelet never posted node status.',
				lastHeartbeatTime: node.metadata.creationTimestamp,
				lastTransitionTime: now,
			};
		if (old.status === 'Unknown') return old;
		return {
			...old,
			status: 'Unknown',
			reason: 'NodeStatusUnknown',
			message: 'Kubelet stopped posting node status.',
			lastTransitionTime: now,
		};
	});
	return [...others, ...unknown];
}
