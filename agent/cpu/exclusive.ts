/** Who gets processors for itself alone: containers of Guaranteed pods that ask for whole ones. Pure. */
import type { Container, Pod } from '../../api/gen/types.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { parseQuantity } from '../../api/quantity.ts';

const NANO = 1_000_000_000n;

/** How many; 0 for a container that shares. A pod with resources of its own shares (the manager of pod-level resources is alpha). */
export function exclusiveCpus(pod: Pod, { resources }: Container): number {
	if (hasPodResources(pod) || qosClass(pod) !== 'Guaranteed') return 0;
	const { nano } = parseQuantity(resources?.requests?.['cpu'] ?? resources?.limits?.['cpu'] ?? '0');
	return nano % NANO === 0n ? Number(nano / NANO) : 0;
}

export function hasPodResources({ spec }: Pod): boolean {
	const { requests = {}, limits = {} } = spec?.resources ?? {};
	return Object.keys(requests).length > 0 || Object.keys(limits).length > 0;
}
