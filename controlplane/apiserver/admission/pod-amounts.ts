/** A pod's requests and limits as a whole: the sum of its containers, or an init container's where that is more. Pure. */
import type { Container, Pod } from '../../../api/gen/types.ts';
import { addQuantities, compareQuantities } from '../../../api/quantity.ts';
import type { Amounts } from './limit-constraints.ts';

export function podRequests(pod: Pod): Amounts {
	return total(pod, (c) => c.resources?.requests ?? {});
}

export function podLimits(pod: Pod): Amounts {
	return total(pod, (c) => c.resources?.limits ?? {});
}

/** Sidecars (init containers that restart always) run beside what comes after them. */
function total(pod: Pod, of: (container: Container) => Amounts): Amounts {
	const init = pod.spec?.initContainers ?? [];
	const sidecars = init.filter((c) => c.restartPolicy === 'Always');
	let sum: Record<string, string> = {};
	for (const container of [...(pod.spec?.containers ?? []), ...sidecars]) sum = plus(sum, of(container));
	let running: Record<string, string> = {};
	for (const container of init) {
		const needed = plus(running, of(container));
		if (container.restartPolicy === 'Always') running = needed;
		for (const [name, quantity] of Object.entries(needed))
			if (sum[name] === undefined || compareQuantities(quantity, sum[name]) > 0) sum[name] = quantity;
	}
	return sum;
}

function plus(a: Amounts, b: Amounts): Record<string, string> {
	const sum: Record<string, string> = { ...a };
	for (const [name, quantity] of Object.entries(b)) sum[name] = sum[name] === undefined ? quantity : addQuantities(sum[name], quantity);
	return sum;
}
