/** What each NUMA node has of memory and who holds it, as upstream's memory manager keeps it in its state (cm/memorymanager, policy Static). Pure. */
import type { NumaNode } from '../../host/topology.ts';
import type { Assignments } from '../topology/assignments.ts';
import { nodesIn } from '../topology/mask.ts';
import { resourcesOf, type Bytes, type MemoryBlock } from './nodes.ts';

/** Of one container and resource. */
export interface StoredBlock {
	readonly numaAffinity: readonly number[] | null;
	readonly type: string;
	readonly size: number;
}

/** By pod and container. */
export type StoredBlocks = Readonly<Record<string, Readonly<Record<string, readonly StoredBlock[] | null>>>>;

export interface MemoryTable {
	readonly total: number;
	readonly systemReserved: number;
	readonly allocatable: number;
	readonly reserved: number;
	readonly free: number;
}

export interface NodeState {
	readonly numberOfAssignments: number;
	readonly memoryMap: Readonly<Record<string, MemoryTable | null>> | null;
	/** The nodes that are used together with this one, and it. */
	readonly cells: readonly number[] | null;
}

/** By node. */
export type MachineState = Readonly<Record<string, NodeState | null>>;

/** Of who ends before others begin there is as much as the others do not take from it: so the sizes of a pod add up to what it holds. */
export function storedBlocks(held: Assignments<MemoryBlock>): StoredBlocks {
	return Object.fromEntries(held.holders().map((uid) => [uid, Object.fromEntries(ofPod([...held.of(uid)]))]));
}

function ofPod(
	containers: readonly (readonly [name: string, block: MemoryBlock])[],
): readonly (readonly [string, readonly StoredBlock[]])[] {
	const left = containers.map(([, { bytes }]) => new Map(Object.entries(bytes)));
	for (const [i, [, { nodes, bytes }]] of containers.entries())
		for (const [name, size] of Object.entries(bytes)) {
			let wanted = size;
			for (const [j, [, earlier]] of containers.slice(0, i).entries()) {
				if (!earlier.endsFirst || earlier.nodes !== nodes) continue;
				const had = left[j]?.get(name);
				if (had === undefined) continue;
				left[j]?.set(name, had - Math.min(had, wanted));
				wanted -= Math.min(had, wanted);
			}
		}
	return containers.map(([name, { nodes }], i) => [
		name,
		[...(left[i] ?? [])].map(([type, size]) => ({ numaAffinity: nodesIn(nodes), type, size })),
	]);
}

/** RangeError for a block of nodes or resources that the machine does not have. */
export function machineState(nodes: readonly NumaNode[], reserved: ReadonlyMap<number, Bytes>, entries: StoredBlocks): MachineState {
	const state = new Map(
		nodes.map((node) => {
			const tables = resourcesOf(node).map(([name, bytes]): [string, { -readonly [K in keyof MemoryTable]: MemoryTable[K] }] => {
				const systemReserved = reserved.get(node.id)?.[name] ?? 0;
				const allocatable = Math.max(0, bytes - systemReserved);
				return [name, { total: name === 'memory' ? node.memoryBytes : bytes, systemReserved, allocatable, reserved: 0, free: allocatable }];
			});
			return [node.id, { numberOfAssignments: 0, memoryMap: new Map(tables), cells: [node.id] as readonly number[] }];
		}),
	);
	for (const { numaAffinity, type, size } of Object.values(entries).flatMap((pod) =>
		Object.values(pod).flatMap((blocks) => blocks ?? []),
	)) {
		let wanted = size;
		for (const id of numaAffinity ?? []) {
			const node = state.get(id);
			const table = node?.memoryMap.get(type);
			if (node === undefined || table === undefined) throw new RangeError(`there is no ${type} of node ${id}`);
			node.numberOfAssignments++;
			node.cells = numaAffinity ?? [];
			const taken = Math.min(wanted, table.free);
			table.reserved += taken;
			table.free -= taken;
			wanted -= taken;
		}
	}
	return Object.fromEntries([...state].map(([id, node]) => [id, { ...node, memoryMap: Object.fromEntries(node.memoryMap) }]));
}

/** Whether both say the same; of nodes that are used together what they have together counts. */
export function isSameMachine(a: MachineState, b: MachineState): boolean {
	const ids = Object.keys(a);
	return ids.length === Object.keys(b).length && ids.every((id) => isSameNode(id, a, b));
}

function isSameNode(id: string, a: MachineState, b: MachineState): boolean {
	const [one, other] = [a[id], b[id]];
	if (one == null || other == null) return false;
	const cells = (node: NodeState): string => (node.cells ?? []).toSorted((x, y) => x - y).join();
	if (one.numberOfAssignments !== other.numberOfAssignments || cells(one) !== cells(other)) return false;
	const names = Object.keys(one.memoryMap ?? {});
	if (names.length !== Object.keys(other.memoryMap ?? {}).length) return false;
	const together = (machine: MachineState, name: string, field: 'free' | 'reserved'): number =>
		(one.cells ?? []).reduce((sum, cell) => sum + (machine[cell]?.memoryMap?.[name]?.[field] ?? 0), 0);
	return names.every((name) => {
		const [table, there] = [one.memoryMap?.[name], other.memoryMap?.[name]];
		return (
			(['total', 'systemReserved', 'allocatable'] as const).every((field) => table?.[field] === there?.[field]) &&
			(['free', 'reserved'] as const).every((field) => together(a, name, field) === together(b, name, field))
		);
	});
}
