/** Which pod goes first (upstream eviction/helpers.go). Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { isStatic } from '../static/static-pod.ts';
import { diskUse, requestOf, type Consumption, type Disks } from './consumption.ts';
import { starvedOf } from './observation.ts';
import type { Signal } from './threshold.ts';

/** scheduling.SystemCriticalPriority. */
const CRITICAL_PRIORITY = 2_000_000_000;

export type Consumptions = ReadonlyMap<string, Consumption>;

/** Static pods, and those of this priority or more, are never evicted. */
export function isCritical(pod: Pod): boolean {
	return isStatic(pod) || (pod.spec?.priority ?? 0) >= CRITICAL_PRIORITY;
}

/** The pods in the order in which they are to go; what nothing is known of goes first. */
export function ranked(pods: readonly Pod[], signal: Signal, uses: Consumptions, disks: Disks): readonly Pod[] {
	const starved = starvedOf(signal);
	const used = (pod: Pod): number | undefined => {
		const use = uses.get(pod.metadata.uid ?? '');
		if (use === undefined) return undefined;
		switch (starved) {
			case 'memory':
				return use.memoryBytes;
			case 'pids':
				return use.processes ?? 0;
			case 'ephemeral-storage':
				return diskUse(use, signal, disks).bytes;
			case 'inodes':
				return diskUse(use, signal, disks).inodes;
		}
	};
	const rows = pods.map((pod) => {
		const amount = used(pod);
		const request = starved === 'pids' ? 0 : requestOf(pod, starved);
		return { pod, known: amount !== undefined, exceeds: (amount ?? 0) > request, over: (amount ?? 0) - request };
	});
	const priority = (pod: Pod): number => pod.spec?.priority ?? 0;
	return rows
		.toSorted((a, b) => {
			if (starved !== 'pids' && (!a.known || !b.known) && a.known !== b.known) return a.known ? 1 : -1;
			if (starved !== 'pids' && a.exceeds !== b.exceeds) return a.exceeds ? -1 : 1;
			return priority(a.pod) - priority(b.pod) || Number(a.known) - Number(b.known) || b.over - a.over;
		})
		.map((r) => r.pod);
}
