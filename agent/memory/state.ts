/** Who has memory of which NUMA nodes, kept over restarts in memory_manager_state: upstream's name of it. */
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { readState, writeState } from '../../base/files.ts';
import type { MemoryPolicy } from '../config/placement-settings.ts';
import { Assignments } from '../topology/assignments.ts';
import { maskOf, nodesIn } from '../topology/mask.ts';
import type { Bytes, MemoryBlock, MemoryNode } from './nodes.ts';

const VERSION = 1;
const FILE = 'memory_manager_state';

interface StoredBlock {
	readonly numaAffinity: readonly number[];
	readonly bytes: Bytes;
	readonly endsFirst: boolean;
}

interface File {
	readonly policyName: string;
	readonly entries: Readonly<Record<string, Readonly<Record<string, StoredBlock>>>>;
	/** What there was to give. Absent in files of old. */
	readonly nodes?: readonly MemoryNode[];
}

export interface MemoryState {
	readonly held: Assignments<MemoryBlock>;
	readonly nodes: readonly MemoryNode[] | undefined;
}

/** AppError FailedPrecondition where an earlier life had another policy. */
export async function readMemoryState(rootDir: string, policy: MemoryPolicy): Promise<MemoryState> {
	const file = await readState<File>(join(rootDir, FILE), VERSION);
	if (file !== undefined && file.policyName !== policy)
		throw new AppError(
			'FailedPrecondition',
			`[memorymanager] configured policy "${policy}" differs from state checkpoint policy "${file.policyName ?? ''}". Drain this node and delete the file "${join(rootDir, FILE)}".`,
		);
	const parse = ({ numaAffinity, bytes, endsFirst }: StoredBlock): MemoryBlock => ({ nodes: maskOf(numaAffinity), bytes, endsFirst });
	return { held: Assignments.from(file?.entries ?? {}, parse), nodes: file?.nodes };
}

export async function writeMemoryState(rootDir: string, { held, nodes: there }: MemoryState): Promise<void> {
	const entries = Object.fromEntries(
		Object.entries(held.toJSON()).map(([uid, containers]) => [
			uid,
			Object.fromEntries(
				Object.entries(containers).map(([name, { nodes, bytes, endsFirst }]) => [name, { numaAffinity: nodesIn(nodes), bytes, endsFirst }]),
			),
		]),
	);
	await writeState(join(rootDir, FILE), VERSION, {
		policyName: 'Static',
		entries,
		...(there === undefined ? {} : { nodes: there }),
	} satisfies File);
}
