/** Control groups of both versions: where a process's groups are and what they use. Parsers are pure; roots can be given for recorded trees. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReadSmall, readSmall } from './small-file.ts';

export interface CgroupUsage {
	readonly cpuNanos: bigint;
	readonly memoryBytes: bigint;
	/** Usage without what the kernel can drop at once (inactive file pages). */
	readonly workingSetBytes: bigint;
	readonly rssBytes: bigint;
	/** Undefined where there is no limit. */
	readonly memoryLimitBytes: bigint | undefined;
	readonly swapBytes: bigint;
	readonly pageFaults: bigint;
	readonly majorPageFaults: bigint;
}

/** The folders of one process's groups, by controller; version 2 has one for all. */
export type CgroupPaths =
	| { readonly version: 2; readonly path: string }
	| { readonly version: 1; readonly paths: Readonly<Record<string, string>> };

const ROOT = '/sys/fs/cgroup';
/** Version 1's "no limit": the largest page-aligned int64. */
const V1_UNLIMITED = 0x7ffffffffffff000n;

/** Pure: /proc/PID/cgroup text. With any named v1 controller it is version 1 (or hybrid, where limits are in v1). */
export function parseCgroupPaths(text: string, root: string = ROOT): CgroupPaths {
	const paths: Record<string, string> = {};
	let unified = '/';
	for (const line of text.split('\n')) {
		const match = /^(\d+):([^:]*):(.*)$/.exec(line);
		if (match === null) continue;
		const [, number, controllers = '', path = '/'] = match;
		if (number === '0' && controllers === '') unified = path;
		else
			for (const controller of controllers.split(','))
				if (!controller.startsWith('name=')) paths[controller] = join(root, controllers, path);
	}
	return Object.keys(paths).length > 0 ? { version: 1, paths } : { version: 2, path: join(root, unified) };
}

export async function cgroupPathsOf(pid: number | 'self'): Promise<CgroupPaths> {
	return parseCgroupPaths(await readFile(`/proc/${pid}/cgroup`, 'utf8'));
}

/** Takes some tens of microseconds; whoever reads many groups yields in between. */
export function readUsage(groups: CgroupPaths, read: ReadSmall = readSmall): CgroupUsage {
	return groups.version === 2 ? readV2(groups.path, read) : readV1(groups.paths, read);
}

/** How many tasks are in the group. */
export function readProcesses(groups: CgroupPaths, read: ReadSmall = readSmall): bigint {
	return integer(read(`${groups.version === 2 ? groups.path : (groups.paths['pids'] ?? '/nowhere')}/pids.current`));
}

/** 2 where the unified hierarchy is mounted at the root. */
export async function cgroupVersion(root: string = ROOT): Promise<1 | 2> {
	return readFile(join(root, 'cgroup.controllers'), 'utf8').then(
		() => 2 as const,
		() => 1 as const,
	);
}

function readV2(path: string, read: ReadSmall): CgroupUsage {
	const [cpu, current, max, stat, swap] = ['cpu.stat', 'memory.current', 'memory.max', 'memory.stat', 'memory.swap.current'].map((file) =>
		read(`${path}/${file}`),
	);
	const memory = (key: string): bigint => flatValue(stat ?? '', key);
	const usage = integer(current);
	return {
		cpuNanos: flatValue(cpu ?? '', 'usage_usec') * 1000n,
		memoryBytes: usage,
		workingSetBytes: floor(usage - memory('inactive_file')),
		rssBytes: memory('anon'),
		memoryLimitBytes: (max ?? '').trim() === 'max' || max === undefined ? undefined : integer(max),
		swapBytes: integer(swap),
		pageFaults: memory('pgfault'),
		majorPageFaults: memory('pgmajfault'),
	};
}

function readV1(paths: Readonly<Record<string, string>>, read: ReadSmall): CgroupUsage {
	const file = (controller: string, name: string): string | undefined => read(`${paths[controller] ?? '/nowhere'}/${name}`);
	const cpu = file('cpuacct', 'cpuacct.usage');
	const current = file('memory', 'memory.usage_in_bytes');
	const stat = file('memory', 'memory.stat');
	const memory = (key: string): bigint => flatValue(stat ?? '', key);
	const usage = integer(current);
	// The least of its own and those above it: where that is none, its own is none.
	const isUnlimited = memory('hierarchical_memory_limit') >= V1_UNLIMITED;
	const limitBytes = isUnlimited ? 0n : integer(file('memory', 'memory.limit_in_bytes'));
	return {
		cpuNanos: integer(cpu),
		memoryBytes: usage,
		workingSetBytes: floor(usage - memory('total_inactive_file')),
		rssBytes: memory('total_rss'),
		memoryLimitBytes: limitBytes === 0n || limitBytes >= V1_UNLIMITED ? undefined : limitBytes,
		swapBytes: memory('total_swap'),
		pageFaults: memory('total_pgfault'),
		majorPageFaults: memory('total_pgmajfault'),
	};
}

/** Pure: one value of a "flat keyed" file (one `key value` a line), without looking at the rest; 0 where the key is not there. */
export function flatValue(content: string, key: string): bigint {
	const line = `${key} `;
	const at = content.startsWith(line) ? 0 : content.indexOf(`\n${line}`) + 1;
	if (at === 0 && !content.startsWith(line)) return 0n;
	const end = content.indexOf('\n', at);
	return integer(content.slice(at + line.length, end < 0 ? content.length : end));
}

function integer(content: string | undefined): bigint {
	const trimmed = content?.trim() ?? '';
	return /^\d+$/.test(trimmed) ? BigInt(trimmed) : 0n;
}

function floor(value: bigint): bigint {
	return value < 0n ? 0n : value;
}
