/** Limits that the engine's API has no word for: huge pages, files of cgroup v2, and a new OOM score of what runs already. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CgroupLimits, hasLimits, writeLimits } from '../host/cgroup-limits.ts';
import { type CgroupPaths, cgroupPathsOf } from '../host/cgroups.ts';
import type { LinuxContainerResources } from './proto.ts';

export function extraLimits(resources: LinuxContainerResources | undefined): CgroupLimits {
	return {
		hugepages: (resources?.hugepageLimits ?? []).map(({ pageSize, limit }) => ({ pageSize, bytes: limit })),
		unified: resources?.unified ?? {},
	};
}

/** `pid` is the container's first process, as this host counts. Nothing to set costs nothing. */
export async function setExtraLimits(pid: number, resources: LinuxContainerResources | undefined): Promise<void> {
	const limits = extraLimits(resources);
	if (hasLimits(limits)) await writeLimits(await cgroupPathsOf(pid), limits);
}

/** For every process that the container has now; those to come inherit it. */
export async function setOomScoreAdj(pid: number, score: number): Promise<void> {
	const groups = await cgroupPathsOf(pid);
	const listed = await readFile(join(folderOf(groups), 'cgroup.procs'), 'utf8');
	for (const each of listed.split('\n').filter((line) => line !== ''))
		await writeFile(`/proc/${each}/oom_score_adj`, String(score)).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error; // it ended meanwhile
		});
}

function folderOf(groups: CgroupPaths): string {
	if (groups.version === 2) return groups.path;
	return groups.paths['memory'] ?? groups.paths['cpu'] ?? '/nowhere';
}
