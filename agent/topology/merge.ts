/** One answer of many hints: the nodes that all of a container's resources are to come from (upstream topologymanager/policy.go). Pure. */
import type { NumaNode } from '../../host/topology.ts';
import type { Hint, Hints } from './hint.ts';
import { has, maskOf, nodesIn, sizeOf, type Mask } from './mask.ts';

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

export interface MergeOptions {
	readonly policy: TopologyPolicy;
	/** Of sets of the same size, rather that of nodes near each other than that of the lowest numbers. */
	readonly preferClosest: boolean;
}

export interface Merged {
	readonly hint: Hint;
	readonly admit: boolean;
}

interface Candidate {
	readonly nodes: Mask;
	readonly preferred: boolean;
}

export function mergeHints(given: readonly Hints[], nodes: readonly NumaNode[], { policy, preferClosest }: MergeOptions): Merged {
	const all = maskOf(nodes.map(({ id }) => id));
	const single = policy === 'single-numa-node';
	const lists = given.flatMap(listsOf).map((list) => (single ? list.filter(isSingle) : list));
	const better = (a: Mask, b: Mask): boolean => (preferClosest && !single ? isCloser(a, b, nodes) : isNarrower(a, b));
	const best = bestOf(lists, all, better);
	const nodesOf = single && best.nodes === all ? undefined : best.nodes;
	return { hint: { nodes: nodesOf, preferred: best.preferred }, admit: policy === 'best-effort' || policy === 'none' || best.preferred };
}

/** Who says nothing is content with any node; who has none that will do is with no one. */
function listsOf(hints: Hints): readonly (readonly Hint[])[] {
	const lists = Object.values(hints);
	if (lists.length === 0) return [[{ nodes: undefined, preferred: true }]];
	return lists
		.map((list) => list ?? [{ nodes: undefined, preferred: true }])
		.map((l) => (l.length > 0 ? l : [{ nodes: undefined, preferred: false }]));
}

function isSingle({ nodes, preferred }: Hint): boolean {
	return preferred && (nodes === undefined || sizeOf(nodes) === 1);
}

function bestOf(lists: readonly (readonly Hint[])[], all: Mask, better: (a: Mask, b: Mask) => boolean): Candidate {
	const least = lists.map((list) => Math.min(...list.flatMap(({ nodes }) => (nodes === undefined ? [] : [sizeOf(nodes)]))));
	const aim = Math.max(0, ...least.filter(Number.isFinite));
	let best: Candidate | undefined;
	for (const choice of choices(lists)) {
		const candidate = meet(choice, all);
		if (candidate.nodes !== 0 && (best === undefined || beats(candidate, best, aim, better))) best = candidate;
	}
	return best ?? { nodes: all, preferred: false };
}

/** Preferred only where all are, and name the same nodes. */
function meet(choice: readonly Hint[], all: Mask): Candidate {
	const named = choice.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodes]));
	return {
		nodes: named.reduce((mask, nodes) => mask & nodes, all),
		preferred: choice.every((hint) => hint.preferred) && named.every((nodes) => nodes === named[0]),
	};
}

/** @param aim of those that are not preferred, the best have so many nodes: what the neediest resource needs at least */
function beats(candidate: Candidate, best: Candidate, aim: number, better: (a: Mask, b: Mask) => boolean): boolean {
	if (candidate.preferred !== best.preferred) return candidate.preferred;
	const closer = candidate.nodes !== best.nodes && better(candidate.nodes, best.nodes);
	if (candidate.preferred) return closer;
	const [mine, its] = [sizeOf(candidate.nodes), sizeOf(best.nodes)];
	if (its > aim) return closer;
	if (its === aim) return mine === aim && closer;
	if (mine > aim) return false;
	return mine === its ? closer : mine > its;
}

function isNarrower(a: Mask, b: Mask): boolean {
	return sizeOf(a) === sizeOf(b) ? a < b : sizeOf(a) < sizeOf(b);
}

function isCloser(a: Mask, b: Mask, nodes: readonly NumaNode[]): boolean {
	if (sizeOf(a) !== sizeOf(b)) return isNarrower(a, b);
	const [mine, its] = [meanDistance(a, nodes), meanDistance(b, nodes)];
	return mine === its ? a < b : mine < its;
}

function meanDistance(mask: Mask, nodes: readonly NumaNode[]): number {
	const chosen = nodes.filter(({ id }) => has(mask, id));
	const distances = chosen.flatMap(({ distances: row }) => nodes.flatMap(({ id }, i) => (has(mask, id) ? [row[i] ?? 0] : [])));
	return distances.reduce((sum, d) => sum + d, 0) / Math.max(1, nodesIn(mask).length ** 2);
}

function* choices(lists: readonly (readonly Hint[])[], from = 0): Generator<readonly Hint[]> {
	const list = lists[from];
	if (list === undefined) return yield [];
	for (const hint of list) for (const rest of choices(lists, from + 1)) yield [hint, ...rest];
}
