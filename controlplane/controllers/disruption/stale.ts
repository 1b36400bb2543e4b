/** Pods that were to be disrupted and are still there two minutes later no longer say so (upstream's stale DisruptionTarget condition). */
import type { Pod } from '../../../api/gen/types.ts';
import { observedGeneration } from '../../../api/pod/observed.ts';
import { keyOf } from '../../../api/resource.ts';
import { PODS } from '../../../api/resources.ts';
import { podCondition } from '../../../api/pod/conditions.ts';
import { isActive } from '../../../api/pod/phase.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';

const STALE_MS = 2 * 60_000;

/** Keys are pods. */
export function staleDisruptions(client: Client, informers: Informers, clock: Clock): Reconciler {
	const pods = informers.get(PODS);
	return {
		sources: [keysFrom(pods, ({ after }) => (after === undefined || staleAt(after) === undefined ? [] : [keyOf(after)]))],
		async reconcile(key, signal) {
			const pod = pods.lister.get(key);
			const at = pod === undefined ? undefined : staleAt(pod);
			if (pod === undefined || at === undefined) return;
			const leftMs = at - clock.now();
			if (leftMs > 0) return { afterMs: leftMs };
			const said = { type: 'DisruptionTarget', status: 'False', reason: '', message: '' };
			const reset = { ...said, lastTransitionTime: timeOf(clock.now()), ...observedGeneration(pod) };
			const conditions = (pod.status?.conditions ?? []).map((c) => (c.type === 'DisruptionTarget' ? reset : c));
			await client
				.update(PODS, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status', signal })
				.catch(ignore('NotFound'));
		},
	};
}

/** What the kubelet announced takes as long as it takes. Pure. */
export function staleAt(pod: Pod): number | undefined {
	const condition = podCondition(pod, 'DisruptionTarget');
	if (!isActive(pod) || condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
	return Date.parse(condition.lastTransitionTime ?? '1970-01-01T00:00:00Z') + STALE_MS;
}
