/** The memory manager as it is configured. */
import { isDeepStrictEqual } from 'node:util';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Topology } from '../../host/topology.ts';
import type { PlacementSettings } from '../config/placement-settings.ts';
import { Saver } from '../saver.ts';
import type { PlacementFigures } from '../topology/figures.ts';
import type { Mask } from '../topology/mask.ts';
import { isSameMachine, machineState, storedBlocks, type MachineState, type StoredBlocks } from './machine-state.ts';
import { memoryNodes, type MemoryNode } from './nodes.ts';
import { readMemoryState, writeMemoryState, type MemoryState } from './state.ts';
import { StaticMemory } from './static-memory.ts';

export interface OpenMemory {
	readonly rootDir: string;
	readonly settings: PlacementSettings;
	/** kubeReserved, systemReserved and the memory at which eviction begins. */
	readonly reservedBytes: number;
	readonly topology: Topology;
	readonly masks: readonly Mask[];
	readonly figures: PlacementFigures;
	readonly log: Log;
}

/** Undefined with the policy "None". AppError FailedPrecondition where the nodes' reservations are not the machine's, or an earlier life had another policy. */
export async function openMemory({
	rootDir,
	settings,
	reservedBytes,
	topology,
	masks,
	figures,
	log,
}: OpenMemory): Promise<StaticMemory | undefined> {
	const { memoryPolicy, reservedMemory } = settings;
	const before = await readMemoryState(rootDir, memoryPolicy);
	const { held } = before;
	if (memoryPolicy === 'None') return undefined;
	const sum = [...reservedMemory.values()].reduce((bytes, limits) => bytes + (limits['memory'] ?? 0), 0);
	if (sum !== reservedBytes)
		throw new AppError(
			'FailedPrecondition',
			`the total amount "${sum}" of type "memory" is not equal to the value "${reservedBytes}" determined by Node Allocatable feature`,
		);
	const nodes = memoryNodes(topology.nodes, reservedMemory);
	const machine = (entries: StoredBlocks): MachineState => machineState(topology.nodes, reservedMemory, entries);
	if (!fits(before, nodes, machine))
		throw new AppError(
			'FailedPrecondition',
			`[memorymanager] the expected machine state is different from the real one: invalid state, please drain node and remove policy state file`,
		);
	const saver = new Saver(
		() => {
			const entries = storedBlocks(held);
			return writeMemoryState(rootDir, machine(entries), entries);
		},
		(error) => log.error('cannot keep which memory containers have', { reason: messageOf(error) }),
	);
	saver.changed();
	return new StaticMemory({ nodes, masks, held, changed: () => saver.changed(), saved: () => saver.saved(), figures });
}

/** Pure: whether the machine is the one that the state was written on. */
function fits(before: MemoryState, nodes: readonly MemoryNode[], machine: (entries: StoredBlocks) => MachineState): boolean {
	if (before.nodes !== undefined) return isDeepStrictEqual(before.nodes, nodes);
	if (before.machine === undefined) return true;
	const { state, entries } = before.machine;
	// A state of nobody, as upstream's has it.
	if (Object.keys(state).length === 0) return Object.keys(entries).length === 0;
	try {
		return isSameMachine(state, machine(entries));
	} catch (error) {
		if (error instanceof RangeError) return false;
		throw error;
	}
}
