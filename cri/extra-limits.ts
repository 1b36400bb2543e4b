/** Limits that the engine's API has no word for: huge pages, files of cgroup v2, and a new OOM score of what runs already. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreErrno } from '../base/errors.ts';
import { type CgroupLimits, hasLimits, writeLimits } from '../host/cgroup-limits.ts';
import { type CgroupPaths, cgroupPathsOf } from '../host/cgroups.ts';
import type { LinuxContainerResources } from './proto.ts';

export function extraLimits(resources: LinuxContainerResources | undefined): CgroupLimits {
	return {
		hugepages: (resources?.hugepageLimits ?? []).map(({ pageSize, limit }) => ({ pageSize, bytes: limit })),
		unified: resources?.unified ?? {},
	};
}

/** `pid` is the container's first process, as this host counts. Nothing to set costs nothing; what has ended has nothing to limit. */
export async function setExtraLimits(pid: number, resources: LinuxContainerResources | undefined): Promise<void> {
	const limits = extraLimits(resources);
	if (!hasLimits(limits)) return;
	const groups = await cgroupPathsOf(pid).catch(unlessGone);
	if (groups === undefined) return;
	try {
		await writeLimits(groups, limits);
	} catch (error) {
		if ((await cgroupPathsOf(pid).catch(unlessGone)) !== undefined) throw error; // else the group went with its last process
	}
}

/** For every process that the container has now; those to come inherit it. */
export async function setOomScoreAdj(pid: number, score: number): Promise<void> {
	const groups = await cgroupPathsOf(pid).catch(unlessGone);
	if (groups === undefined) return;
	const listed = await readFile(join(folderOf(groups), 'cgroup.procs'), 'utf8').catch(unlessGone);
	for (const each of (listed ?? '').split('\n').filter((line) => line !== ''))
		await writeFile(`/proc/${each}/oom_score_adj`, String(score)).catch(unlessGone);
}

/** A process or a group that went: its files are not found, cannot be read, or have no device. */
const unlessGone = ignoreErrno('ENOENT', 'ESRCH', 'ENODEV');

function folderOf(groups: CgroupPaths): string {
	if (groups.version === 2) return groups.path;
	return groups.paths['memory'] ?? groups.paths['cpu'] ?? '/nowhere';
}
