/** Pod GC: pods whose node no longer exists are ended and deleted; so are pods that were deleted before they got a node, or on a node out of service. */
import type { Node, Pod } from '../../api/gen/types.ts';
import { observedGeneration } from '../../api/pod/observed.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { isNodeReady } from '../../api/pod/node-ready.ts';
import { timeOf } from '../../api/time.ts';
import type { Clock } from '../../base/clock.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import type { Reconciler } from './reconciler.ts';

/** How long a node must be missing: it may only be registering anew (upstream's quarantine). */
const QUARANTINE_MS = 40_000;

type State = 'fine' | 'unplaced' | 'orphaned' | 'outOfService';

/** Keys are pods. */
export function podGarbageCollector(client: Client, informers: Informers, clock: Clock): Reconciler {
	const nodes = informers.get(NODES);
	const pods = informers.get(PODS);
	pods.addIndex('node', (pod) => [pod.spec?.nodeName ?? '']);
	/** When a pod's node was first seen to be missing. */
	const missingSince = new Map<Key, number>();
	const stateOf = (pod: Pod): State => {
		const isGoing = pod.metadata.deletionTimestamp !== undefined;
		const name = pod.spec?.nodeName ?? '';
		if (name === '') return isGoing ? 'unplaced' : 'fine';
		const node = nodes.lister.get(name);
		if (node === undefined) return 'orphaned';
		return isGoing && isOutOfService(node) ? 'outOfService' : 'fine';
	};
	return {
		sources: [
			keysFrom(pods, ({ after }) => (after !== undefined && stateOf(after) !== 'fine' ? [keyOf(after)] : [])),
			keysFrom(nodes, ({ before, after }) =>
				after === undefined || isOutOfService(after) ? pods.lister.byIndex('node', (after ?? before)?.metadata.name ?? '').map(keyOf) : [],
			),
		],
		async reconcile(key, signal) {
			const pod = pods.lister.get(key);
			const state = pod === undefined ? 'fine' : stateOf(pod);
			if (pod === undefined || state === 'fine') return void missingSince.delete(key);
			if (state === 'orphaned') {
				const since = missingSince.get(key) ?? clock.monotonic();
				missingSince.set(key, since);
				const leftMs = since + QUARANTINE_MS - clock.monotonic();
				if (leftMs > 0) return { afterMs: leftMs };
				// The cache may be behind: a node that is there after all keeps its pods.
				if ((await client.get(NODES, pod.spec?.nodeName ?? '', { signal }).catch(ignore('NotFound'))) !== undefined)
					return { afterMs: QUARANTINE_MS };
			}
			await end(client, pod, state === 'orphaned', clock.now(), signal);
			missingSince.delete(key);
		},
	};
}

/** Nobody looks after a node that is not ready and that people have put out of service. */
function isOutOfService(node: Node): boolean {
	return !isNodeReady(node) && node.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') === true;
}

/** The pod with this uid: another may have its name by now. */
async function end(client: Client, pod: Pod, isOrphaned: boolean, now: number, signal: AbortSignal): Promise<void> {
	const phase = pod.status?.phase;
	const { uid } = pod.metadata;
	if (phase !== 'Succeeded' && phase !== 'Failed') {
		const condition = {
			type: 'DisruptionTarget',
			status: 'True',
			reason: 'DeletionByPodGC',
			message: 'PodGC: node no longer exists',
			lastTransitionTime: timeOf(now),
			...observedGeneration(pod),
		};
		const disrupted = isOrphaned ? { conditions: [condition] } : {};
		await client
			.patch(
				PODS,
				keyOf(pod),
				{ type: 'strategic', body: { metadata: { uid }, status: { phase: 'Failed', ...observedGeneration(pod), ...disrupted } } },
				{ subresource: 'status', signal },
			)
			.catch(ignore('NotFound', 'Aborted'));
	}
	await client
		.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, signal, ...(uid === undefined ? {} : { uid }) })
		.catch(ignore('NotFound', 'Aborted'));
}
