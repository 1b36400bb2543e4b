/** What share of a service's endpoints each zone should have, by the CPUs of its nodes. Pure; upstream's endpointslice/topologycache. */
import type { Node } from '../../../api/gen/types.ts';
import { isNodeReady } from '../../../api/pod/node-ready.ts';
import { ceilMilli } from '../../../api/quantity.ts';
import { ZONE_LABEL } from '../../../api/topology-labels.ts';

/** By zone: a part of 1, or a number of endpoints. */
export type ByZone = ReadonlyMap<string, number>;

export interface Allocation {
	readonly minimum: number;
	readonly maximum: number;
	readonly desired: number;
}

/** An endpoint may have to bear 20 % more than its share (overloadThreshold). */
const LEAST = 1 / 1.2;
const EXCLUDED = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'] as const;

/** Undefined where a node has no zone or no CPUs, or where there are not two zones. */
export function zoneShares(nodes: readonly Node[]): ByZone | undefined {
	const milli = new Map<string, number>();
	let total = 0;
	for (const node of nodes) {
		const { labels = {} } = node.metadata;
		if (EXCLUDED.some((label) => labels[label] !== undefined) || !isNodeReady(node)) continue;
		const zone = labels[ZONE_LABEL] ?? '';
		const cpus = ceilMilli(node.status?.allocatable?.['cpu']);
		if (zone === '' || cpus === 0) return undefined;
		milli.set(zone, (milli.get(zone) ?? 0) + cpus);
		total += cpus;
	}
	if (milli.size < 2) return undefined;
	return new Map([...milli].map(([zone, cpus]) => [zone, cpus / total]));
}

/** How many of the endpoints each zone should have; a text says why that cannot be. */
export function allocationsOf(shares: ByZone | undefined, endpoints: number): ReadonlyMap<string, Allocation> | string {
	if (shares === undefined) return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
	const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
	if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`;
	const minima = [...shares].map(([zone, share]) => ({
		zone,
		desired: share * endpoints,
		minimum: Math.ceil(share * endpoints * LEAST),
	}));
	const spare = endpoints - minima.reduce((sum, { minimum }) => sum + minimum, 0);
	if (spare < 0) return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
	return new Map(
		minima.map(({ zone, desired, minimum }) => [zone, { minimum, maximum: minimum + spare, desired: Math.max(desired, minimum) }]),
	);
}

/** Whether a zone has so few of the endpoints that each of them bears too much. */
export function isOverloaded(endpoints: ByZone, shares: ByZone | undefined): boolean {
	if (endpoints.size === 0) return false;
	if (shares === undefined) return true;
	const total = [...endpoints.values()].reduce((sum, count) => sum + count, 0);
	return [...shares].some(([zone, share]) => {
		const there = endpoints.get(zone);
		return there === undefined || there < Math.ceil(total * share * LEAST);
	});
}
