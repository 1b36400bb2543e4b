/** Whether a pod's requests fit a node beside the pods that are there, as kubelet admission and DaemonSets ask. Pure. */
import type { Node, Pod } from '../gen/types.ts';
import { addTo, amountsOf, type Amounts } from './amounts.ts';
import { isTerminal } from './phase.ts';
import { podRequests } from './resources.ts';

/** A resource that falls short; amounts in thousandths for cpu, else in units. */
export interface Shortage {
	readonly resource: string;
	readonly requested: number;
	readonly used: number;
	readonly capacity: number;
}

/** Every resource that does not suffice: pods first, then by name. */
export function shortages(pod: Pod, node: Node, others: readonly Pod[]): readonly Shortage[] {
	const allocatable = amountsOf(node.status?.allocatable);
	const running = others.filter((other) => !isTerminal(other) && other.metadata.uid !== pod.metadata.uid);
	const found: Shortage[] = [];
	const room = amount(allocatable, 'pods');
	if (running.length + 1 > room) found.push({ resource: 'pods', requested: 1, used: running.length, capacity: room });
	const used: Amounts = new Map();
	for (const other of running) addTo(used, podRequests(other));
	const requests = podRequests(pod);
	for (const resource of [...requests.keys()].toSorted()) {
		const requested = amount(requests, resource);
		const taken = amount(used, resource);
		const capacity = amount(allocatable, resource);
		if (requested > 0 && requested > capacity - taken) found.push({ resource, requested, used: taken, capacity });
	}
	return found;
}

const NANO = 1_000_000_000n;
const NANO_PER_MILLI = 1_000_000n;

/** Rounded up. */
function amount(amounts: Amounts, resource: string): number {
	const unit = resource === 'cpu' ? NANO_PER_MILLI : NANO;
	return Number(((amounts.get(resource)?.nano ?? 0n) + unit - 1n) / unit);
}
