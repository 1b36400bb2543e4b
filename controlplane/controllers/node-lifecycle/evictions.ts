/** How fast the pods of lost nodes are evicted: zone by zone, and not at all where it looks as if the network had failed instead. Upstream's handleDisruption. */
import type { Node } from '../../../api/gen/types.ts';
import { REGION_LABEL, ZONE_LABEL } from '../../../api/topology-labels.ts';
import { conditionOf } from './taints.ts';

/** One node each (--node-eviction-rate, --secondary-node-eviction-rate). */
const INTERVAL_MS = 10_000;
const SECONDARY_INTERVAL_MS = 100_000;
/** A zone is unhealthy where three nodes or more, and this share of them, are not ready (--unhealthy-zone-threshold). */
const UNHEALTHY = 0.55;
const UNHEALTHY_NODES = 3;
/** Unhealthy zones of no more nodes evict nothing (--large-cluster-size-threshold). */
const LARGE_ZONE = 50;
/** When to look again at lost nodes (--node-monitor-period). */
export const AGAIN_MS = 5000;

/** Nodes with this label are no part of what says whether a zone has failed (labelNodeDisruptionExclusion). */
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

/** Whether the node says something of how its zone is. */
export function countsForZone({ metadata }: Node): boolean {
	return metadata.labels?.[EXCLUDED] === undefined;
}

function zoneOf({ metadata: { labels = {} } }: Node): string {
	return `${labels[REGION_LABEL] ?? ''} ${labels[ZONE_LABEL] ?? ''}`;
}

/** From one eviction to the next in a zone of these nodes, ms; undefined where there are to be none. Pure. */
export function evictionIntervalMs(zone: readonly Node[]): number | undefined {
	const lost = zone.filter((node) => conditionOf(node, 'Ready') !== 'True').length;
	// Where all of a zone are lost while others are well, the zone has failed, not the network.
	if (lost === zone.length || lost < UNHEALTHY_NODES || lost / zone.length < UNHEALTHY) return INTERVAL_MS;
	return zone.length > LARGE_ZONE ? SECONDARY_INTERVAL_MS : undefined;
}

export class Evictions {
	/** When each zone evicted last, monotonic ms. */
	readonly #last = new Map<string, number>();

	/** Takes the zone's turn for this node: 0 where it may be evicted now, else how long until it asks again, ms. */
	take(node: Node, nodes: readonly Node[], now: number): number {
		const zone = zoneOf(node);
		const interval = evictionIntervalMs(nodes.filter((other) => countsForZone(other) && zoneOf(other) === zone));
		if (interval === undefined) return AGAIN_MS;
		const waitMs = (this.#last.get(zone) ?? -Infinity) + interval - now;
		if (waitMs > 0) return waitMs;
		this.#last.set(zone, now);
		return 0;
	}
}
