/** Topology: a volume is reached from the nodes that have its pool. Pure. */
import { AppError } from '../base/errors.ts';
import type { Topology, TopologyRequirement } from './proto.ts';

export function topologyKey(driverName: string): string {
	return `topology.${driverName}/pool`;
}

export function poolTopology(driverName: string, poolId: string): Topology {
	return { segments: { [topologyKey(driverName)]: poolId } };
}

/** ResourceExhausted where the requirement leaves the pool out. */
export function checkTopology(requirement: TopologyRequirement | undefined, own: Topology): void {
	const asked = [...(requirement?.requisite ?? []), ...(requirement?.requisite.length ? [] : (requirement?.preferred ?? []))];
	if (asked.length === 0 || asked.some((topology) => reaches(topology, own))) return;
	throw new AppError('ResourceExhausted', `No topology that is asked for has the pool ${JSON.stringify(own.segments)}`);
}

/** Keys of other drivers say nothing about this one. */
export function reaches(topology: Topology, own: Topology): boolean {
	return Object.entries(own.segments).every(([key, value]) => (topology.segments[key] ?? value) === value);
}
