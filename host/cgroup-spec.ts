/** What a control group may use, as cAdvisor tells it whatever the version: shares, quota, limits. */
import { join } from 'node:path';
import type { CgroupPaths } from './cgroups.ts';
import { type ReadSmall, readSmall } from './small-file.ts';

/** 0 where nothing is limited. */
export interface CgroupSpec {
	readonly cpuShares: number;
	readonly cpuQuotaUs: number;
	readonly cpuPeriodUs: number;
	readonly memoryBytes: number;
	readonly swapBytes: number;
	/** What the kernel tries to hold it to before the limit. */
	readonly reservationBytes: number;
	readonly threads: number;
}

/** Beyond it a number of the kernel's means "no limit". */
const UNLIMITED = 2 ** 62;

export function readSpec(groups: CgroupPaths, read: ReadSmall = readSmall): CgroupSpec {
	return groups.version === 2 ? specV2((file) => read(join(groups.path, file)) ?? '') : specV1(groups.paths, read);
}

function specV2(file: (name: string) => string): CgroupSpec {
	const [quota = '', period = ''] = file('cpu.max').trim().split(' ');
	const weight = bounded(file('cpu.weight'));
	return {
		// From 1–10000 to 2–262144, in whole numbers.
		cpuShares: weight === 0 ? 0 : 2 + Math.floor(((weight - 1) * 262142) / 9999),
		cpuQuotaUs: bounded(quota),
		cpuPeriodUs: bounded(period),
		memoryBytes: bounded(file('memory.max')),
		swapBytes: bounded(file('memory.swap.max')),
		reservationBytes: bounded(file('memory.high')),
		threads: bounded(file('pids.max')),
	};
}

function specV1(paths: Readonly<Record<string, string>>, read: ReadSmall): CgroupSpec {
	const of = (controller: string, name: string): number => bounded(read(join(paths[controller] ?? '/nowhere', name)) ?? '');
	return {
		cpuShares: of('cpu', 'cpu.shares'),
		cpuQuotaUs: of('cpu', 'cpu.cfs_quota_us'),
		cpuPeriodUs: of('cpu', 'cpu.cfs_period_us'),
		memoryBytes: of('memory', 'memory.limit_in_bytes'),
		swapBytes: of('memory', 'memory.memsw.limit_in_bytes'),
		reservationBytes: of('memory', 'memory.soft_limit_in_bytes'),
		threads: of('pids', 'pids.max'),
	};
}

function bounded(text: string): number {
	const value = /^\d+$/.test(text.trim()) ? Number(text) : 0; // "max", -1 and nothing there are no limit
	return value > UNLIMITED ? 0 : value;
}
