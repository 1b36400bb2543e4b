/** Sets of NUMA nodes, a bit each. Pure. */
import type { NumaNode } from '../../host/topology.ts';

export type Mask = number;

export function maskOf(nodes: Iterable<number>): Mask {
	let mask = 0;
	for (const node of nodes) mask |= 1 << node;
	return mask;
}

export function nodesIn(mask: Mask): readonly number[] {
	const nodes: number[] = [];
	for (let node = 0; node < 31; node++) if (has(mask, node)) nodes.push(node);
	return nodes;
}

export function has(mask: Mask, node: number): boolean {
	return (mask & (1 << node)) !== 0;
}

export function sizeOf(mask: Mask): number {
	return nodesIn(mask).length;
}

/** Every set of these nodes but the empty one. */
export function* masksOf(nodes: readonly NumaNode[]): Generator<Mask> {
	const ids = nodes.map(({ id }) => id);
	for (let chosen = 1; chosen < 1 << ids.length; chosen++) yield maskOf(ids.filter((_, i) => has(chosen, i)));
}
