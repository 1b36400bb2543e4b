/**
 * Which NUMA nodes' memory a container can have (upstream memorymanager/policy_static.go). Nodes are used alone or in groups, and a node in
 * use never belongs to two of them; so what is free follows from who has what. Pure.
 */
import type { NumaNode } from '../../host/topology.ts';
import { hintsOf, type Hint } from '../topology/hint.ts';
import { has, sizeOf, type Mask } from '../topology/mask.ts';

/** Bytes by resource: memory, hugepages-2Mi. */
export type Bytes = Readonly<Record<string, number>>;

/** What one container holds. */
export interface MemoryBlock {
	readonly nodes: Mask;
	readonly bytes: Bytes;
	/** It ends before the pod's other containers begin: they may have it. */
	readonly endsFirst: boolean;
}

export interface MemoryNode {
	readonly id: number;
	/** Less what is reserved. */
	readonly allocatable: Bytes;
}

/** The blocks of each pod, in the order of its containers. */
export type HeldMemory = readonly (readonly MemoryBlock[])[];

export function memoryNodes(nodes: readonly NumaNode[], reserved: ReadonlyMap<number, Bytes>): readonly MemoryNode[] {
	return nodes.map((node) => {
		const own = reserved.get(node.id) ?? {};
		const rest = ([name, bytes]: readonly [string, number]): readonly [string, number] => [name, Math.max(0, bytes - (own[name] ?? 0))];
		return { id: node.id, allocatable: Object.fromEntries(resourcesOf(node).map(rest)) };
	});
}

/** What there is of each resource; memory less the huge pages. */
export function resourcesOf({ memoryBytes, hugePages }: NumaNode): readonly (readonly [resource: string, bytes: number])[] {
	const huge = Object.entries(hugePages).map(([kib, bytes]) => [`hugepages-${pageSize(Number(kib))}`, bytes] as const);
	const hugeBytes = huge.reduce((sum, [, bytes]) => sum + bytes, 0);
	return [['memory', memoryBytes - hugeBytes], ...huge];
}

function pageSize(kib: number): string {
	return kib >= 1_048_576 ? `${kib / 1_048_576}Gi` : kib >= 1024 ? `${kib / 1024}Mi` : `${kib}Ki`;
}

/** @param own what the pod's earlier containers hold, of which those that end first are given on */
export function memoryHints(
	nodes: readonly MemoryNode[],
	masks: Iterable<Mask>,
	others: HeldMemory,
	own: readonly MemoryBlock[],
	wanted: Bytes,
): readonly Hint[] {
	const names = Object.keys(wanted);
	const groups = [...others.flat(), ...own].map((block) => block.nodes);
	const fits = (mask: Mask): boolean =>
		!violates(mask, groups) && names.every((name) => free(nodes, mask, others, own, name) >= (wanted[name] ?? 0));
	return hintsOf(masks, sizeOf, (mask) => names.every((name) => total(nodes, mask, name) >= (wanted[name] ?? 0)), fits);
}

/** A node that is used alone joins no group, one of a group is not used alone nor in another. */
export function violates(mask: Mask, groups: readonly Mask[]): boolean {
	return groups.some((group) => group !== mask && (group & mask) !== 0);
}

/** The hint of the most wanted nodes: preferred, then narrow. */
export function bestHint(hints: readonly Hint[], within: Mask = 0): Hint | undefined {
	return hints
		.filter(({ nodes = 0 }) => (nodes & within) === within)
		.toSorted(
			(a, b) => Number(b.preferred) - Number(a.preferred) || sizeOf(a.nodes ?? 0) - sizeOf(b.nodes ?? 0) || (a.nodes ?? 0) - (b.nodes ?? 0),
		)[0];
}

export function satisfies(
	nodes: readonly MemoryNode[],
	mask: Mask,
	others: HeldMemory,
	own: readonly MemoryBlock[],
	wanted: Bytes,
): boolean {
	return Object.entries(wanted).every(([name, bytes]) => free(nodes, mask, others, own, name) >= bytes);
}

/** What a pod takes of a set of nodes: its containers that end first leave theirs to the rest. */
export function podHolds(blocks: readonly MemoryBlock[], mask: Mask, name: string): number {
	let [rest, most] = [0, 0];
	for (const block of blocks) {
		const bytes = block.nodes === mask ? (block.bytes[name] ?? 0) : 0;
		if (block.endsFirst) most = Math.max(most, rest + bytes);
		else rest += bytes;
	}
	return Math.max(most, rest);
}

function total(nodes: readonly MemoryNode[], mask: Mask, name: string): number {
	return nodes.filter(({ id }) => has(mask, id)).reduce((sum, { allocatable }) => sum + (allocatable[name] ?? 0), 0);
}

function free(nodes: readonly MemoryNode[], mask: Mask, others: HeldMemory, own: readonly MemoryBlock[], name: string): number {
	const groups = new Set([...others.flat(), ...own].map((block) => block.nodes).filter((group) => (group & mask) !== 0));
	const used = [...groups].flatMap((group) => others.map((blocks) => podHolds(blocks, group, name))).reduce((sum, bytes) => sum + bytes, 0);
	const kept = own
		.filter((block) => !block.endsFirst && (block.nodes & mask) !== 0)
		.reduce((sum, block) => sum + (block.bytes[name] ?? 0), 0);
	return total(nodes, mask, name) - used - kept;
}
