/** What /proc tells of a group's processes: how many, what they have open, and the network that they see. */
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupPaths } from '../../host/cgroups.ts';
import { readSmall } from '../../host/small-file.ts';

export interface Processes {
	readonly count: number;
	readonly descriptors: number;
	readonly sockets: number;
	/** -1: unlimited. Of the first process. */
	readonly openFilesLimit: number | undefined;
}

export interface InterfaceCounters {
	readonly name: string;
	/** The sixteen of /proc/net/dev: bytes, packets, errors, drops and four more, received and then sent. NaN where it is not known. */
	readonly counters: readonly number[];
}

/** In the group itself, not below it. */
export function pidsIn(groups: CgroupPaths): readonly number[] {
	const folder = groups.version === 2 ? groups.path : (groups.paths['memory'] ?? groups.paths['cpu'] ?? '/nowhere');
	return (readSmall(join(folder, 'cgroup.procs')) ?? '')
		.split('\n')
		.filter((line) => line !== '')
		.map(Number);
}

export async function processesOf(pids: readonly number[]): Promise<Processes> {
	let [descriptors, sockets] = [0, 0];
	for (const pid of pids) {
		const folder = `/proc/${pid}/fd`;
		const open = await readdir(folder).catch(() => []);
		descriptors += open.length;
		const targets = await Promise.all(open.map((fd) => readlink(join(folder, fd)).catch(() => '')));
		sockets += targets.filter((target) => target.startsWith('socket:')).length;
	}
	const [first] = pids;
	const limits = first === undefined ? '' : (readSmall(`/proc/${first}/limits`) ?? '');
	return { count: pids.length, descriptors, sockets, openFilesLimit: openFilesLimit(limits) };
}

/** Pure: the soft limit in the text of /proc/PID/limits. */
export function openFilesLimit(limits: string): number | undefined {
	const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
	return soft === undefined ? undefined : soft === 'unlimited' ? -1 : Number(soft);
}

/** Interfaces that cAdvisor tells nothing of. */
const IGNORED = /^(lo|veth|docker|nerdctl)/;

/** Pure: the text of /proc/net/dev. */
export function parseInterfaces(text: string): readonly InterfaceCounters[] {
	return text.split('\n').flatMap((line) => {
		const match = /^\s*([^:\s]+):\s*(.*)$/.exec(line);
		if (match === null || IGNORED.test(match[1] ?? '')) return [];
		return [{ name: match[1] ?? '', counters: (match[2] ?? '').trim().split(/\s+/).map(Number) }];
	});
}
