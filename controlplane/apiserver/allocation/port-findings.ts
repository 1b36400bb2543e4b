/** What is wrong between the node ports that Services have and what is written down as taken (upstream's portallocator/controller/repair.go). Pure. */
import type { Service } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { PortBitmap } from './port-bitmap.ts';

export interface PortFinding {
	readonly service: Service & KubeObject;
	readonly port: number;
	/** As the metric names it. */
	readonly type: 'repair' | 'duplicate' | 'outOfRange';
	readonly reason: string;
	readonly message: string;
}

export interface PortsExamined {
	readonly findings: readonly PortFinding[];
	/** What should be written down: all ports that Services have, in the range. */
	readonly held: PortBitmap;
	/** Written down, and no Service's. */
	readonly unheld: readonly number[];
}

/** @param services all that have node ports; of two with the same one it is that of the first by name */
export function examinePorts(
	services: readonly (Service & KubeObject)[],
	written: PortBitmap,
	range: readonly [number, number],
): PortsExamined {
	const held = new PortBitmap(range);
	const findings: PortFinding[] = [];
	for (const service of services.toSorted((a, b) => order(keyOf(a), keyOf(b))))
		for (const port of claimedPorts(service)) {
			const find = (type: PortFinding['type'], reason: string, message: string): unknown =>
				findings.push({ service, port, type, reason, message });
			if (!held.contains(port))
				find('outOfRange', 'PortOutOfRange', `Port ${port} is not within the port range ${held.range}; please recreate service`);
			else if (held.has(port))
				find('duplicate', 'PortAlreadyAllocated', `Port ${port} was assigned to multiple services; please recreate service`);
			else {
				held.take(port);
				if (!written.has(port)) find('repair', 'PortNotAllocated', `Port ${port} is not allocated; repairing`);
			}
		}
	return { findings, held, unheld: written.ports.filter((port) => held.contains(port) && !held.has(port)) };
}

/** The node ports of a Service, each once for all its protocols: one that has the same protocol twice is there twice. */
function claimedPorts({ spec = {} }: Service): readonly number[] {
	const claimed: number[] = [];
	const protocols = new Map<number, Set<string>>();
	for (const { nodePort = 0, protocol = 'TCP' } of spec.ports ?? []) {
		if (nodePort === 0) continue;
		const seen = protocols.get(nodePort) ?? new Set();
		if (seen.size === 0 || seen.has(protocol)) claimed.push(nodePort);
		protocols.set(nodePort, seen.add(protocol));
	}
	const { healthCheckNodePort: health = 0 } = spec;
	const seen = protocols.get(health);
	if (health !== 0 && (seen === undefined || seen.has('TCP'))) claimed.push(health);
	return claimed;
}

function order(a: Key, b: Key): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
