/** Sets of NUMA nodes, a bit each. Pure. */
import { AppError } from '../../base/errors.ts';
import type { NumaNode } from '../../host/topology.ts';

export type Mask = number;

/** Bits of a number that count up from one. */
const MOST_NODES = 30;

export function maskOf(nodes: Iterable<number>): Mask {
	let mask = 0;
	for (const node of nodes) mask |= 1 << node;
	return mask;
}

export function nodesIn(mask: Mask): readonly number[] {
	const nodes: number[] = [];
	for (let node = 0; node < MOST_NODES; node++) if (has(mask, node)) nodes.push(node);
	return nodes;
}

export function has(mask: Mask, node: number): boolean {
	return (mask & (1 << node)) !== 0;
}

export function sizeOf(mask: Mask): number {
	return nodesIn(mask).length;
}

/** All sets that a policy chooses among, none where there is no such policy. AppError FailedPrecondition where they are too many to be looked at. */
export function masksFor(
	nodes: readonly NumaNode[],
	settings: { readonly topologyPolicy: string; readonly memoryPolicy: string; readonly maxNumaNodes: number },
): readonly Mask[] {
	if (settings.topologyPolicy === 'none' && settings.memoryPolicy === 'None') return [];
	const most = Math.min(settings.maxNumaNodes, MOST_NODES);
	if (nodes.length > most || nodes.some(({ id }) => id >= MOST_NODES))
		throw new AppError('FailedPrecondition', `unsupported on machines with more than ${most} NUMA Nodes`);
	return [...masksOf(nodes)];
}

/** Every set of these nodes but the empty one. */
export function* masksOf(nodes: readonly NumaNode[]): Generator<Mask> {
	const ids = nodes.map(({ id }) => id);
	for (let chosen = 1; chosen < 1 << ids.length; chosen++) yield maskOf(ids.filter((_, i) => has(chosen, i)));
}
