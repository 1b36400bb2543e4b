/** How much of a node's resources would be in use with a pod on it, of those that a score looks at. Pure. */
import type { CountDevices } from './device-use.ts';
import type { NodeInfo } from '../node-info.ts';
import type { ResourceWeight } from '../plugin-args.ts';
import type { Amounts } from '../resources.ts';

export interface Use {
	readonly allocatable: number;
	/** By the pods that are there. */
	readonly before: number;
	/** With this pod. */
	readonly after: number;
	readonly weight: number;
}

/** Counted even for pods that do not ask for them. */
const ALWAYS = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Devices stand in for what the node has none of itself. Resources that the node does not have, and others that the pod does not ask for, are left out (upstream's calculateNodeAllocatableRequest). */
export function useOf(
	resources: readonly ResourceWeight[],
	node: NodeInfo,
	wanted: Amounts,
	used: Amounts,
	devices?: CountDevices,
): readonly Use[] {
	const uses: Use[] = [];
	// Asked of every node that fits: nothing is made that is thrown away.
	for (const { name, weight } of resources) {
		const own = node.allocatable.get(name) ?? 0;
		const more = wanted.get(name) ?? 0;
		if (more === 0 && !ALWAYS.has(name)) continue;
		const { allocatable, before } = (own === 0 ? devices?.(name, node) : undefined) ?? { allocatable: own, before: used.get(name) ?? 0 };
		if (allocatable === 0) continue;
		uses.push({ allocatable, before, after: before + more, weight });
	}
	return uses;
}
