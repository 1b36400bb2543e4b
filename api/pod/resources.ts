/** What a pod as a whole asks for and may use: its containers together, or an init container where that is more, and the overhead (component-helpers resource). Pure. */
import type { Container, Pod } from '../gen/types.ts';
import { addTo, amountsOf, raiseTo, type Amounts } from './amounts.ts';

/** @param overhead false: without the pod's overhead, as LimitRanger counts */
export function podRequests(pod: Pod, overhead = true): Amounts {
	const total = inAll(pod, (c) => amountsOf(c.resources?.requests), EXACT);
	overrideByPod(total, amountsOf(pod.spec?.resources?.requests));
	return overhead ? addTo(total, amountsOf(pod.spec?.overhead)) : total;
}

/** A resource that no container limits is not in it; overhead only adds to limits that are there. */
export function podLimits(pod: Pod, overhead = true): Amounts {
	const total = inAll(pod, (c) => amountsOf(c.resources?.limits), EXACT);
	overrideByPod(total, amountsOf(pod.spec?.resources?.limits));
	if (!overhead) return total;
	const added = [...amountsOf(pod.spec?.overhead)].filter(([name]) => (total.get(name)?.nano ?? 0n) !== 0n);
	return addTo(total, new Map(added));
}

/** How amounts of some form are added and raised, both in place. */
export interface Arithmetic<A> {
	readonly none: () => A;
	readonly add: (to: A, more: A) => A;
	readonly raise: (to: A, other: A) => A;
}

const EXACT: Arithmetic<Amounts> = { none: () => new Map(), add: addTo, raise: raiseTo };

/** All containers together. Init containers run one after the other; sidecars (init containers that always restart) stay beside what comes after them. */
export function inAll<A>(pod: Pod, of: (container: Container) => A, { none, add, raise }: Arithmetic<A>): A {
	const total = none();
	for (const container of pod.spec?.containers ?? []) add(total, of(container));
	const sidecars = none();
	const peak = none();
	for (const container of pod.spec?.initContainers ?? []) {
		const own = of(container);
		if (container.restartPolicy === 'Always') {
			add(total, own);
			raise(peak, add(sidecars, own));
		} else raise(peak, add(add(none(), sidecars), own));
	}
	return raise(total, peak);
}

/** The resources that a pod itself may state. */
export function isPodLevelResource(name: string): boolean {
	return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function overrideByPod(total: Amounts, own: Amounts): void {
	for (const [name, quantity] of own) if (isPodLevelResource(name)) total.set(name, quantity);
}
