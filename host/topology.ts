/** Which processors and memory are near each other, from /sys/devices/system. The root can be given for recorded trees. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseCpuList } from './cpu-list.ts';
import { readSmall } from './small-file.ts';

export interface LogicalCpu {
	readonly id: number;
	/** The lowest id among its core's threads. */
	readonly core: number;
	readonly socket: number;
	readonly numa: number;
	/** The lowest id among those that share its last cache. */
	readonly cache: number;
}

export interface NumaNode {
	readonly id: number;
	readonly memoryBytes: number;
	/** Bytes set aside by size of page, in the kernel's kB. */
	readonly hugePages: Readonly<Record<number, number>>;
	/** To each node, in the order of their ids; empty where the kernel does not say. */
	readonly distances: readonly number[];
}

export interface Topology {
	readonly cpus: readonly LogicalCpu[];
	/** At least one; ascending by id. */
	readonly nodes: readonly NumaNode[];
}

const ROOT = '/sys/devices/system';

/** @param memoryBytes of the machine: that of the one node where the kernel knows of none */
export function readTopology(memoryBytes: number, root: string = ROOT): Topology {
	const online = parseCpuList(readSmall(join(root, 'cpu/online')) ?? '0');
	const ids = parseCpuList(readSmall(join(root, 'node/online')) ?? '');
	const nodeOf = new Map(ids.flatMap((node) => parseCpuList(read(root, `node/node${node}/cpulist`)).map((cpu) => [cpu, node] as const)));
	const cpus = online.map((id) => logicalCpu(root, id, nodeOf.get(id) ?? 0));
	const nodes = ids.map((id) => numaNode(root, id));
	return { cpus, nodes: nodes.length > 0 ? nodes : [{ id: 0, memoryBytes, hugePages: {}, distances: [] }] };
}

function logicalCpu(root: string, id: number, numa: number): LogicalCpu {
	const of = (file: string): string => read(root, `cpu/cpu${id}/${file}`);
	const [core = id] = parseCpuList(of('topology/thread_siblings_list'));
	const [cache] = parseCpuList(of('cache/index3/shared_cpu_list'));
	const socket = Math.max(0, Number(of('topology/physical_package_id') || '0'));
	const [first = id] = parseCpuList(of('topology/core_siblings_list'));
	return { id, core, socket, numa, cache: cache ?? first };
}

function numaNode(root: string, id: number): NumaNode {
	const of = (file: string): string => read(root, `node/node${id}/${file}`);
	const kib = Number(/MemTotal:\s+(\d+) kB/.exec(of('meminfo'))?.[1] ?? 0);
	const hugePages: Record<number, number> = {};
	for (const name of entries(join(root, `node/node${id}/hugepages`))) {
		const size = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
		if (size > 0) hugePages[size] = Number(of(`hugepages/${name}/nr_hugepages`)) * size * 1024;
	}
	const distances = of('distance').split(/\s+/).filter(Boolean).map(Number);
	return { id, memoryBytes: kib * 1024, hugePages, distances };
}

function read(root: string, path: string): string {
	return readSmall(join(root, path))?.trim() ?? '';
}

function entries(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
