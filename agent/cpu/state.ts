/** Who has which processors, kept over restarts in cpu_manager_state: upstream's name and fields of it. */
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { readState, writeState } from '../../base/files.ts';
import { formatCpuList, parseCpuList } from '../../host/cpu-list.ts';
import { Assignments } from '../topology/assignments.ts';

const VERSION = 1;
const FILE = 'cpu_manager_state';

export type CpuPolicy = 'none' | 'static';

export interface CpuState {
	readonly assigned: Assignments<readonly number[]>;
	readonly shared: readonly number[];
}

interface File {
	readonly policyName: string;
	readonly defaultCpuSet: string;
	readonly entries: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Of an earlier life; undefined where there was none. AppError FailedPrecondition where it had another policy: pods have what that gave them. */
export async function readCpuState(rootDir: string, policy: CpuPolicy): Promise<CpuState | undefined> {
	const file = await readState<File>(join(rootDir, FILE), VERSION);
	if (file === undefined) return undefined;
	if (file.policyName !== policy)
		throw new AppError(
			'FailedPrecondition',
			`[cpumanager] configured policy "${policy}" differs from state checkpoint policy "${file.policyName ?? ''}". Drain this node and delete the file "${join(rootDir, FILE)}".`,
		);
	return { assigned: Assignments.from(file.entries ?? {}, parseCpuList), shared: parseCpuList(file.defaultCpuSet ?? '') };
}

export async function writeCpuState(rootDir: string, { assigned, shared }: CpuState): Promise<void> {
	const entries = Object.fromEntries(
		Object.entries(assigned.toJSON()).map(([uid, containers]) => [
			uid,
			Object.fromEntries(Object.entries(containers).map(([name, ids]) => [name, formatCpuList(ids)])),
		]),
	);
	await writeState(join(rootDir, FILE), VERSION, { policyName: 'static', defaultCpuSet: formatCpuList(shared), entries } satisfies File);
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
