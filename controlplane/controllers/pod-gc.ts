/** Pod GC: pods whose node no longer exists are ended and deleted; so are pods that were deleted before they got a node. */
import type { Pod } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { timeOf } from '../../api/time.ts';
import type { Clock } from '../../base/clock.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import type { Reconciler } from './reconciler.ts';

/** How long a node must be missing: it may only be registering anew (upstream's quarantine). */
const QUARANTINE_MS = 40_000;

/** Keys are pods. */
export function podGarbageCollector(client: Client, informers: Informers, clock: Clock): Reconciler {
	const nodes = informers.get(NODES);
	const pods = informers.get(PODS);
	pods.addIndex('node', (pod) => [pod.spec?.nodeName ?? '']);
	/** When a pod's node was first seen to be missing. */
	const missingSince = new Map<Key, number>();
	const isConcern = (pod: Pod): boolean => {
		const node = pod.spec?.nodeName ?? '';
		return node === '' ? pod.metadata.deletionTimestamp !== undefined : nodes.lister.get(node) === undefined;
	};
	return {
		sources: [
			keysFrom(pods, ({ after }) => (after !== undefined && isConcern(after) ? [keyOf(after)] : [])),
			keysFrom(nodes, ({ before, after }) =>
				after === undefined ? pods.lister.byIndex('node', before?.metadata.name ?? '').map(keyOf) : [],
			),
		],
		async reconcile(key, signal) {
			const pod = pods.lister.get(key);
			if (pod === undefined || !isConcern(pod)) return void missingSince.delete(key);
			if ((pod.spec?.nodeName ?? '') !== '') {
				const since = missingSince.get(key) ?? clock.monotonic();
				missingSince.set(key, since);
				const leftMs = since + QUARANTINE_MS - clock.monotonic();
				if (leftMs > 0) return { afterMs: leftMs };
				// The cache may be behind: a node that is there after all keeps its pods.
				if ((await client.get(NODES, pod.spec?.nodeName ?? '', { signal }).catch(ignore('NotFound'))) !== undefined)
					return { afterMs: QUARANTINE_MS };
			}
			await end(client, pod, clock.now(), signal);
			missingSince.delete(key);
		},
	};
}

async function end(client: Client, pod: Pod, now: number, signal: AbortSignal): Promise<void> {
	const phase = pod.status?.phase;
	if (phase !== 'Succeeded' && phase !== 'Failed') {
		const condition = {
			type: 'DisruptionTarget',
			status: 'True',
			reason: 'DeletionByPodGC',
			message: 'PodGC: node no longer exists',
			lastTransitionTime: timeOf(now),
		};
		const disrupted = (pod.spec?.nodeName ?? '') === '' ? {} : { conditions: [condition] };
		await client
			.patch(
				PODS,
				keyOf(pod),
				{ type: 'strategic', body: { status: { phase: 'Failed', ...disrupted } } },
				{ subresource: 'status', signal },
			)
			.catch(ignore('NotFound'));
	}
	const { uid } = pod.metadata;
	await client
		.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, signal, ...(uid === undefined ? {} : { uid }) })
		.catch(ignore('NotFound', 'Aborted'));
}
