/** What control groups tell beyond the usage of host/cgroups.ts: throttling, kinds of memory, limits of swap, devices, pressure. */
import { join } from 'node:path';
import { flatValue, type CgroupPaths } from './cgroups.ts';
import { type ReadSmall, readSmall } from './small-file.ts';

/** How long tasks waited: in all, and the share of the last 10, 60 and 300 seconds in percent (Linux' Documentation/accounting/psi.rst). */
export interface PressureLine {
	readonly totalNanos: bigint;
	readonly avg10: number;
	readonly avg60: number;
	readonly avg300: number;
}

export interface Pressure {
	readonly some: PressureLine;
	readonly full: PressureLine;
}

export interface DeviceIo {
	/** "8:0". */
	readonly device: string;
	readonly readBytes: bigint;
	readonly writtenBytes: bigint;
	readonly reads: bigint;
	readonly writes: bigint;
}

export interface CgroupDetails {
	readonly cpuUserNanos: bigint;
	readonly cpuSystemNanos: bigint;
	readonly periods: bigint;
	readonly throttledPeriods: bigint;
	readonly throttledNanos: bigint;
	readonly cacheBytes: bigint;
	readonly mappedFileBytes: bigint;
	readonly kernelBytes: bigint;
	readonly maxUsageBytes: bigint;
	/** How often the limit was met. */
	readonly limitHits: bigint;
	readonly burstPeriods: bigint;
	readonly burstNanos: bigint;
	readonly activeFileBytes: bigint;
	readonly inactiveFileBytes: bigint;
	/** Of the group alone, without those below it; version 2 does not tell them apart. */
	readonly ownPageFaults: bigint;
	readonly ownMajorPageFaults: bigint;
	/** Processes that the kernel killed for want of memory. */
	readonly oomKills: bigint;
	readonly devices: readonly DeviceIo[];
}

/** Version 1, and kernels without PSI, have none. */
export interface Pressures {
	readonly cpu: Pressure | undefined;
	readonly memory: Pressure | undefined;
	readonly io: Pressure | undefined;
}

export function readPressures(groups: CgroupPaths): Pressures {
	if (groups.version === 1) return { cpu: undefined, memory: undefined, io: undefined };
	const of = (resource: string): Pressure | undefined => parsePressure(readSmall(join(groups.path, `${resource}.pressure`)) ?? '');
	return { cpu: of('cpu'), memory: of('memory'), io: of('io') };
}

/** Undefined where swap has no limit; version 1 limits memory and swap together. */
export function readSwapLimit(groups: CgroupPaths, memoryLimitBytes: bigint | undefined): bigint | undefined {
	if (groups.version === 2) return limit(readSmall(join(groups.path, 'memory.swap.max')));
	if (memoryLimitBytes === undefined) return undefined;
	const both = limit(readSmall(join(groups.paths['memory'] ?? '/nowhere', 'memory.memsw.limit_in_bytes')));
	return both === undefined ? undefined : both - memoryLimitBytes;
}

export function readDetails(groups: CgroupPaths, read: ReadSmall = readSmall): CgroupDetails {
	return groups.version === 2 ? detailsV2(groups.path, read) : detailsV1(groups.paths, read);
}

function detailsV2(path: string, read: ReadSmall): CgroupDetails {
	const file = (name: string): string => read(join(path, name)) ?? '';
	const cpu = file('cpu.stat');
	const memory = file('memory.stat');
	return {
		cpuUserNanos: flatValue(cpu, 'user_usec') * 1000n,
		cpuSystemNanos: flatValue(cpu, 'system_usec') * 1000n,
		periods: flatValue(cpu, 'nr_periods'),
		throttledPeriods: flatValue(cpu, 'nr_throttled'),
		throttledNanos: flatValue(cpu, 'throttled_usec') * 1000n,
		cacheBytes: flatValue(memory, 'file'),
		mappedFileBytes: flatValue(memory, 'file_mapped'),
		kernelBytes: flatValue(memory, 'kernel'),
		maxUsageBytes: integer(file('memory.peak')),
		limitHits: flatValue(file('memory.events'), 'max'),
		burstPeriods: flatValue(cpu, 'nr_bursts'),
		burstNanos: flatValue(cpu, 'burst_usec') * 1000n,
		activeFileBytes: flatValue(memory, 'active_file'),
		inactiveFileBytes: flatValue(memory, 'inactive_file'),
		ownPageFaults: flatValue(memory, 'pgfault'),
		ownMajorPageFaults: flatValue(memory, 'pgmajfault'),
		oomKills: flatValue(file('memory.events'), 'oom_kill'),
		devices: parseIoStat(file('io.stat')),
	};
}

function detailsV1(paths: Readonly<Record<string, string>>, read: ReadSmall): CgroupDetails {
	const file = (controller: string, name: string): string => read(join(paths[controller] ?? '/nowhere', name)) ?? '';
	const cpu = file('cpu', 'cpu.stat');
	const memory = file('memory', 'memory.stat');
	return {
		cpuUserNanos: integer(file('cpuacct', 'cpuacct.usage_user')),
		cpuSystemNanos: integer(file('cpuacct', 'cpuacct.usage_sys')),
		periods: flatValue(cpu, 'nr_periods'),
		throttledPeriods: flatValue(cpu, 'nr_throttled'),
		throttledNanos: flatValue(cpu, 'throttled_time'),
		cacheBytes: flatValue(memory, 'total_cache'),
		mappedFileBytes: flatValue(memory, 'total_mapped_file'),
		kernelBytes: integer(file('memory', 'memory.kmem.usage_in_bytes')),
		maxUsageBytes: integer(file('memory', 'memory.max_usage_in_bytes')),
		limitHits: integer(file('memory', 'memory.failcnt')),
		burstPeriods: flatValue(cpu, 'nr_bursts'),
		burstNanos: flatValue(cpu, 'burst_time'),
		activeFileBytes: flatValue(memory, 'total_active_file'),
		inactiveFileBytes: flatValue(memory, 'total_inactive_file'),
		ownPageFaults: flatValue(memory, 'pgfault'),
		ownMajorPageFaults: flatValue(memory, 'pgmajfault'),
		oomKills: flatValue(file('memory', 'memory.oom_control'), 'oom_kill'),
		devices: parseBlkio(file('blkio', 'blkio.throttle.io_service_bytes'), file('blkio', 'blkio.throttle.io_serviced')),
	};
}

/** Pure: a pressure file. A kernel that has PSI turned off answers nothing. */
export function parsePressure(text: string): Pressure | undefined {
	const line = (kind: string): PressureLine | undefined => {
		const match = new RegExp(`^${kind} avg10=([\\d.]+) avg60=([\\d.]+) avg300=([\\d.]+) total=(\\d+)$`, 'm').exec(text);
		if (match === null) return undefined;
		return { avg10: Number(match[1]), avg60: Number(match[2]), avg300: Number(match[3]), totalNanos: BigInt(match[4] ?? 0) * 1000n };
	};
	const some = line('some');
	// CPU had no "full" before Linux 5.13.
	return some === undefined ? undefined : { some, full: line('full') ?? { avg10: 0, avg60: 0, avg300: 0, totalNanos: 0n } };
}

/** Pure: version 2's io.stat, a device a line. */
export function parseIoStat(text: string): readonly DeviceIo[] {
	return text.split('\n').flatMap((line) => {
		const [device = '', ...pairs] = line.trim().split(' ');
		if (!/^\d+:\d+$/.test(device)) return [];
		const values = new Map(pairs.map((pair) => pair.split('=') as [string, string]));
		const value = (key: string): bigint => integer(values.get(key) ?? '');
		return [{ device, readBytes: value('rbytes'), writtenBytes: value('wbytes'), reads: value('rios'), writes: value('wios') }];
	});
}

/** Pure: version 1's bytes and operations, a device and a direction a line. */
export function parseBlkio(bytes: string, operations: string): readonly DeviceIo[] {
	const read = (text: string): Map<string, Map<string, bigint>> => {
		const found = new Map<string, Map<string, bigint>>();
		for (const [, device = '', kind = '', value = ''] of text.matchAll(/^(\d+:\d+) (Read|Write) (\d+)$/gm))
			found.set(device, (found.get(device) ?? new Map<string, bigint>()).set(kind, BigInt(value)));
		return found;
	};
	const counts = read(operations);
	return [...read(bytes)].map(([device, values]) => ({
		device,
		readBytes: values.get('Read') ?? 0n,
		writtenBytes: values.get('Write') ?? 0n,
		reads: counts.get(device)?.get('Read') ?? 0n,
		writes: counts.get(device)?.get('Write') ?? 0n,
	}));
}

/** Version 1's "no limit": the largest page-aligned int64. */
const V1_UNLIMITED = 0x7ffffffffffff000n;

function limit(text: string | undefined): bigint | undefined {
	const trimmed = (text ?? '').trim();
	if (!/^\d+$/.test(trimmed)) return undefined;
	const value = BigInt(trimmed);
	return value >= V1_UNLIMITED ? undefined : value;
}

function integer(text: string): bigint {
	const trimmed = text.trim();
	return /^\d+$/.test(trimmed) ? BigInt(trimmed) : 0n;
}
