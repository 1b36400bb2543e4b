/** Pods that are over are kept for who wants to read them, but not without end: beyond so many the evicted and the oldest are deleted (gcTerminated of upstream's podgc). */
import type { Pod } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { PODS } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import type { Reconciler } from './reconciler.ts';

/** Upstream's --terminated-pod-gc-threshold. */
const THRESHOLD = 12_500;
/** There is one thing to look at: all of them. */
const ALL: Key = 'all';

export function terminatedPods(client: Client, informers: Informers, threshold = THRESHOLD): Reconciler {
	const pods = informers.get(PODS);
	const over = new Set<Key>();
	return {
		sources: [
			keysFrom(pods, ({ before, after }) => {
				if (after !== undefined && isTerminal(after)) over.add(keyOf(after));
				else for (const gone of [before, after]) if (gone !== undefined) over.delete(keyOf(gone));
				return over.size > threshold ? [ALL] : [];
			}),
		],
		async reconcile(_key, signal) {
			const surplus = surplusOf(pods.lister.list().filter(isTerminal), threshold);
			await Promise.all(
				surplus.map(async (pod) => {
					const { uid } = pod.metadata;
					const only = uid === undefined ? {} : { uid };
					await client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, signal, ...only }).catch(ignore('NotFound', 'Aborted'));
				}),
			);
		},
	};
}

/** Those beyond the threshold, the evicted first, then by age. Pure. */
export function surplusOf(terminated: readonly Pod[], threshold: number): readonly Pod[] {
	const rank = ({ metadata, status }: Pod): readonly [number, string, string] => [
		status?.phase === 'Failed' && status.reason === 'Evicted' ? 0 : 1,
		metadata.creationTimestamp ?? '',
		metadata.name ?? '',
	];
	const before = (a: Pod, b: Pod): number => {
		const [x, y] = [rank(a), rank(b)];
		const at = x.findIndex((part, i) => part !== y[i]);
		return at < 0 ? 0 : (x[at] as string) < (y[at] as string) ? -1 : 1;
	};
	return terminated.length <= threshold ? [] : terminated.toSorted(before).slice(0, terminated.length - threshold);
}
