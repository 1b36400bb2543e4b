/** The process of a container that was just started, by its control group: the engine's answer takes both sides a millisecond to write and to read. */
import { join } from 'node:path';
import { type ReadSmall, readSmall } from '../../host/small-file.ts';
import type { HostAbilities } from '../host-abilities.ts';

type Groups = Pick<HostAbilities, 'cgroupDriver' | 'cgroupVersion'>;

/**
 * Undefined where the group holds anything but one process, or is elsewhere: a runtime makes groups as it likes, and this process may see others than the engine does.
 * `parent` is the engine's CgroupParent.
 */
export function onlyProcess(id: string, parent: string, host: Groups, read: ReadSmall = readSmall): number | undefined {
	const text = read(join(groupOf(id, parent, host), 'cgroup.procs')) ?? '';
	// One of another PID namespace is 0.
	return /^[1-9]\d*\n$/.test(text) ? Number(text) : undefined;
}

/** As runc lays them out; of version 1 any controller's will do. */
function groupOf(id: string, parent: string, { cgroupDriver, cgroupVersion }: Groups): string {
	const root = cgroupVersion === 2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/devices';
	if (cgroupDriver === 'cgroupfs') return join(root, parent || 'docker', id);
	return join(root, ...slicesAbove(parent || 'system.slice'), `docker-${id}.scope`);
}

/** "a-b.slice" is in "a.slice" (systemd.slice(5)). */
function slicesAbove(slice: string): readonly string[] {
	const words = slice.replace(/\.slice$/, '').split('-');
	return words.map((_, last) => `${words.slice(0, last + 1).join('-')}.slice`);
}
