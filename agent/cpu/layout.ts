/** How the processors of a machine are nested: sockets in NUMA nodes or the other way round, cores in both. Pure. */
import type { LogicalCpu, Topology } from '../../host/topology.ts';

export type Level = 'numa' | 'socket' | 'core' | 'cache';
export type Cpus = readonly LogicalCpu[];

export interface Layout {
	readonly cpus: Cpus;
	/** From the outside in, cores last. */
	readonly levels: readonly [outer: Level, inner: Level, core: 'core'];
	readonly cpusPerCore: number;
	readonly cpusPerCache: number;
	readonly sockets: number;
	readonly numaNodes: number;
}

export function layoutOf({ cpus }: Pick<Topology, 'cpus'>): Layout {
	const count = (level: Level): number => groupsOf(cpus, level).size;
	const [sockets, numaNodes] = [count('socket'), count('numa')];
	return {
		cpus,
		levels: sockets >= numaNodes ? ['numa', 'socket', 'core'] : ['socket', 'numa', 'core'],
		cpusPerCore: Math.trunc(cpus.length / count('core')),
		cpusPerCache: Math.trunc(cpus.length / count('cache')),
		sockets,
		numaNodes,
	};
}

export function groupsOf(cpus: Cpus, level: Level): ReadonlyMap<number, Cpus> {
	return Map.groupBy(cpus, (cpu) => cpu[level]);
}

export function only(cpus: Cpus, ids: Iterable<number>): Cpus {
	const wanted = new Set(ids);
	return cpus.filter(({ id }) => wanted.has(id));
}

export function without(cpus: Cpus, taken: Cpus): Cpus {
	const gone = new Set(taken);
	return cpus.filter((cpu) => !gone.has(cpu));
}

export function idsOf(cpus: Cpus): readonly number[] {
	return cpus.map(({ id }) => id).toSorted((a, b) => a - b);
}
