/** The memory manager as it is configured. */
import { isDeepStrictEqual } from 'node:util';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Topology } from '../../host/topology.ts';
import type { PlacementSettings } from '../config/placement-settings.ts';
import { Saver } from '../saver.ts';
import type { PlacementFigures } from '../topology/figures.ts';
import type { Mask } from '../topology/mask.ts';
import { memoryNodes } from './nodes.ts';
import { readMemoryState, writeMemoryState } from './state.ts';
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
	const { held, nodes: before } = await readMemoryState(rootDir, memoryPolicy);
	if (memoryPolicy === 'None') return undefined;
	const sum = [...reservedMemory.values()].reduce((bytes, limits) => bytes + (limits['memory'] ?? 0), 0);
	if (sum !== reservedBytes)
		throw new AppError(
			'FailedPrecondition',
			`the total amount "${sum}" of type "memory" is not equal to the value "${reservedBytes}" determined by Node Allocatable feature`,
		);
	const nodes = memoryNodes(topology.nodes, reservedMemory);
	if (before !== undefined && !isDeepStrictEqual(before, nodes))
		throw new AppError(
			'FailedPrecondition',
			`[memorymanager] the expected machine state is different from the real one: invalid state, please drain node and remove policy state file`,
		);
	const saver = new Saver(
		() => writeMemoryState(rootDir, { held, nodes }),
		(error) => log.error('cannot keep which memory containers have', { reason: messageOf(error) }),
	);
	saver.changed();
	return new StaticMemory({ nodes, masks, held, changed: () => saver.changed(), saved: () => saver.saved(), figures });
}
