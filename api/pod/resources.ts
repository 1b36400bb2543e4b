/** What a pod as a whole asks for and may use: its containers together, or an init container where that is more, and the overhead (component-helpers resource). Pure. */
import type { Container, Pod } from '../gen/types.ts';
import { addTo, amountsOf, raiseTo, type Amounts } from './amounts.ts';

export function podRequests(pod: Pod): Amounts {
	const total = sum(pod, (c) => amountsOf(c.resources?.requests));
	overrideByPod(total, amountsOf(pod.spec?.resources?.requests));
	return addTo(total, amountsOf(pod.spec?.overhead));
}

/** A resource that no container limits is not in it; overhead only adds to limits that are there. */
export function podLimits(pod: Pod): Amounts {
	const total = sum(pod, (c) => amountsOf(c.resources?.limits));
	overrideByPod(total, amountsOf(pod.spec?.resources?.limits));
	const overhead = [...amountsOf(pod.spec?.overhead)].filter(([name]) => (total.get(name)?.nano ?? 0n) !== 0n);
	return addTo(total, new Map(overhead));
}

/** Init containers run one after the other; sidecars (init containers that always restart) stay beside what comes after them. */
function sum(pod: Pod, of: (container: Container) => Amounts): Amounts {
	const total: Amounts = new Map();
	for (const container of pod.spec?.containers ?? []) addTo(total, of(container));
	const sidecars: Amounts = new Map();
	const peak: Amounts = new Map();
	for (const container of pod.spec?.initContainers ?? []) {
		const own = of(container);
		if (container.restartPolicy === 'Always') {
			addTo(total, own);
			raiseTo(peak, addTo(sidecars, own));
		} else raiseTo(peak, addTo(new Map(sidecars), own));
	}
	return raiseTo(total, peak);
}

/** The resources that a pod itself may state. */
export function isPodLevelResource(name: string): boolean {
	return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function overrideByPod(total: Amounts, own: Amounts): void {
	for (const [name, quantity] of own) if (isPodLevelResource(name)) total.set(name, quantity);
}
