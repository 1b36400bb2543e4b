/** Who has which processors, kept over restarts in cpu_manager_state as upstream's kubelet keeps it (cm/cpumanager/state, checkpoints of version 2). */
import { join } from 'node:path';
import { formatCpuList, parseCpuList } from '../../host/cpu-list.ts';
import { corrupted, readStateFile, refusals, writeStateFile } from '../checkpoint/file.ts';
import { fnv32a, goMap, GoStruct, printed } from '../checkpoint/go-value.ts';
import { Assignments } from '../topology/assignments.ts';

const FILE = 'cpu_manager_state';

export type CpuPolicy = 'none' | 'static';

export interface CpuState {
	readonly assigned: Assignments<readonly number[]>;
	readonly shared: readonly number[];
}

type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Checkpoint {
	readonly policyName: string;
	readonly defaultCpuSet: string;
	/** By pod and container. */
	readonly entries: Entries | null;
	readonly checksum: number;
}

/** Of an earlier life; undefined where there was none. AppError FailedPrecondition where it had another policy (pods have what that gave them), or the file is broken. */
export async function readCpuState(rootDir: string, policy: CpuPolicy): Promise<CpuState | undefined> {
	const path = join(rootDir, FILE);
	const refused = refusals('CPU', path);
	const file = await verified(path).catch((cause: Error) => {
		throw refused.unreadable(cause);
	});
	if (file === undefined) return undefined;
	if (file.policyName !== policy) throw refused.otherPolicy(policy, file.policyName);
	return { assigned: Assignments.from(file.entries ?? {}, parseCpuList), shared: parseCpuList(file.defaultCpuSet ?? '') };
}

async function verified(path: string): Promise<Partial<Checkpoint> | undefined> {
	const file = await readStateFile<Checkpoint, Checkpoint>(path);
	if (file?.form !== 'upstream') return file?.state;
	const { policyName = '', defaultCpuSet = '', entries = {}, checksum = 0 } = file.state;
	// Files of old had none.
	if (checksum !== 0 && checksum !== checksumOf({ policyName, defaultCpuSet, entries })) throw corrupted(path);
	return file.state;
}

export async function writeCpuState(rootDir: string, { assigned, shared }: CpuState): Promise<void> {
	const entries: Entries = Object.fromEntries(
		Object.entries(assigned.toJSON()).map(([uid, containers]) => [
			uid,
			Object.fromEntries(Object.entries(containers).map(([name, ids]) => [name, formatCpuList(ids)])),
		]),
	);
	const state = { policyName: 'static', defaultCpuSet: formatCpuList(shared), entries };
	await writeStateFile(join(rootDir, FILE), { ...state, checksum: checksumOf(state) } satisfies Checkpoint);
}

/** Pure. Upstream names the type as the first version had it. */
function checksumOf({ policyName, defaultCpuSet, entries }: Omit<Checkpoint, 'checksum'>): number {
	const value = new GoStruct([
		['PolicyName', 'string', policyName],
		['DefaultCPUSet', 'string', defaultCpuSet],
		['Entries', 'map[string]map[string]string', goMap(entries, (containers) => goMap(containers, (cpus) => cpus))],
		['Checksum', 'checksum.Checksum', 0],
	]);
	return fnv32a(printed('*state.CPUManagerCheckpoint', value));
}

/** Why what was kept does not fit this machine and configuration; empty where it does. Pure. */
export function stateFault({ assigned, shared }: CpuState, all: readonly number[], reserved: readonly number[], strict: boolean): string {
	const free = new Set(shared);
	if (strict) {
		const wrong = reserved.filter((id) => free.has(id));
		if (wrong.length > 0)
			return `some of strictly reserved cpus: "${formatCpuList(wrong)}" are present in defaultCpuSet: "${formatCpuList(shared)}"`;
	} else if (!reserved.every((id) => free.has(id)))
		return `not all reserved cpus: "${formatCpuList(reserved)}" are present in defaultCpuSet: "${formatCpuList(shared)}"`;
	const known = new Set([...shared, ...assigned.all().flat()]);
	if (assigned.all().some((ids) => ids.some((id) => free.has(id))))
		return `cpus of a container overlap with default cpuset "${formatCpuList(shared)}"`;
	const wanted = strict ? all.filter((id) => !reserved.includes(id)) : all;
	if (known.size !== wanted.length || !wanted.every((id) => known.has(id)))
		return `current set of available CPUs "${formatCpuList(wanted)}" doesn't match with CPUs in state "${formatCpuList(known)}"`;
	return '';
}
