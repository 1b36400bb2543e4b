/** Who has memory of which NUMA nodes, kept over restarts in memory_manager_state as upstream's kubelet keeps it (cm/memorymanager/state, checkpoints of version 1). */
import { join } from 'node:path';
import { corrupted, readStateFile, refusals, writeStateFile } from '../checkpoint/file.ts';
import { fnv32a, goMap, goNumberMap, GoStruct, printed } from '../checkpoint/go-value.ts';
import type { MemoryPolicy } from '../config/placement-settings.ts';
import { Assignments } from '../topology/assignments.ts';
import { maskOf } from '../topology/mask.ts';
import type { MachineState, MemoryTable, NodeState, StoredBlock, StoredBlocks } from './machine-state.ts';
import type { Bytes, MemoryBlock, MemoryNode } from './nodes.ts';

const FILE = 'memory_manager_state';

interface Checkpoint {
	readonly policyName: string;
	readonly machineState: MachineState | null;
	readonly entries: StoredBlocks | null;
	readonly checksum: number;
}

/** The form of before. */
interface Old {
	readonly policyName: string;
	readonly entries: Readonly<Record<string, Readonly<Record<string, OldBlock>>>>;
	readonly nodes: readonly MemoryNode[];
}

interface OldBlock {
	readonly numaAffinity: readonly number[];
	readonly bytes: Bytes;
	readonly endsFirst: boolean;
}

export interface MemoryState {
	readonly held: Assignments<MemoryBlock>;
	/** What stood in the file, to be compared with the machine; undefined where nothing did. */
	readonly machine?: { readonly state: MachineState; readonly entries: StoredBlocks };
	/** The same of the form of before. */
	readonly nodes?: readonly MemoryNode[];
}

/** AppError FailedPrecondition where an earlier life had another policy, or the file is broken. */
export async function readMemoryState(rootDir: string, policy: MemoryPolicy): Promise<MemoryState> {
	const path = join(rootDir, FILE);
	const refused = refusals('memory', path);
	const file = await verified(path).catch((cause: Error) => {
		throw refused.unreadable(cause);
	});
	if (file === undefined) return { held: new Assignments() };
	if (file.state.policyName !== policy) throw refused.otherPolicy(policy, file.state.policyName);
	if (file.form === 'old') {
		const { entries = {}, nodes } = file.state;
		const parse = ({ numaAffinity, bytes, endsFirst }: OldBlock): MemoryBlock => ({ nodes: maskOf(numaAffinity), bytes, endsFirst });
		return { held: Assignments.from(entries, parse), ...(nodes === undefined ? {} : { nodes }) };
	}
	const entries = file.state.entries ?? {};
	return { held: Assignments.from(entries, blockOf), machine: { state: file.state.machineState ?? {}, entries } };
}

async function verified(path: string) {
	const file = await readStateFile<Checkpoint, Old>(path);
	if (file?.form !== 'upstream') return file;
	const { policyName = '', machineState = {}, entries = {}, checksum = 0 } = file.state;
	// Files of old had none.
	if (checksum !== 0 && checksum !== checksumOf({ policyName, machineState, entries })) throw corrupted(path);
	return file;
}

/** Sizes say what is held besides what others of the pod took over: nobody is to be given it again. */
function blockOf(blocks: readonly StoredBlock[] | null): MemoryBlock {
	const nodes = maskOf((blocks ?? []).flatMap(({ numaAffinity }) => numaAffinity ?? []));
	return { nodes, bytes: Object.fromEntries((blocks ?? []).map(({ type, size }) => [type, size])), endsFirst: false };
}

export async function writeMemoryState(rootDir: string, machineState: MachineState, entries: StoredBlocks): Promise<void> {
	const state = { policyName: 'Static', machineState, entries };
	await writeStateFile(join(rootDir, FILE), { ...state, checksum: checksumOf(state) } satisfies Checkpoint);
}

/** Pure. */
function checksumOf({ policyName, machineState, entries }: Omit<Checkpoint, 'checksum'>): number {
	const numbers = ({ total, systemReserved, allocatable, reserved, free }: MemoryTable): GoStruct =>
		new GoStruct(
			[
				['TotalMemSize', 'uint64', total],
				['SystemReserved', 'uint64', systemReserved],
				['Allocatable', 'uint64', allocatable],
				['Reserved', 'uint64', reserved],
				['Free', 'uint64', free],
			],
			true,
		);
	const node = (object: NodeState): GoStruct =>
		new GoStruct(
			[
				['NumberOfAssignments', 'int', object.numberOfAssignments],
				['MemoryMap', 'map[v1.ResourceName]*state.MemoryTable', goMap(object.memoryMap, (table) => table && numbers(table))],
				['Cells', '[]int', object.cells],
			],
			true,
		);
	const block = ({ numaAffinity, type, size }: StoredBlock): GoStruct =>
		new GoStruct([
			['NUMAAffinity', '[]int', numaAffinity],
			['Type', 'v1.ResourceName', type],
			['Size', 'uint64', size],
		]);
	const value = new GoStruct([
		['PolicyName', 'string', policyName],
		['MachineState', 'state.NUMANodeMap', goNumberMap(machineState, (state) => state && node(state))],
		['Entries', 'state.ContainerMemoryAssignments', goMap(entries, (pod) => goMap(pod, (blocks) => blocks?.map(block) ?? null))],
		['Checksum', 'checksum.Checksum', 0],
	]);
	return fnv32a(printed('*state.MemoryManagerCheckpoint', value));
}
