/** Taint eviction: pods that do not tolerate a NoExecute taint of their node are deleted, at once or when their time is up. */
import type { Node, Pod } from '../../../api/gen/types.ts';
import { observedGeneration } from '../../../api/pod/observed.ts';
import { keyOf, splitKey, type Key } from '../../../api/resource.ts';
import { NODES, PODS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { stayOf } from './deadline.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Keys are pods. */
export function taintEvictionController({ client, informers, clock, recorder }: Deps): Reconciler {
	const nodes = informers.get(NODES);
	const pods = informers.get(PODS);
	pods.addIndex('node', (pod) => [pod.spec?.nodeName ?? '']);
	const ofNode = ({ before, after }: Change<Node>): readonly Key[] => {
		const name = (after ?? before)?.metadata.name ?? '';
		return sameButNulls(before?.spec?.taints ?? [], after?.spec?.taints ?? []) ? [] : pods.lister.byIndex('node', name).map(keyOf);
	};
	const ofPod = ({ before, after }: Change<Pod>): readonly Key[] => {
		// One that is gone may have been about to be evicted.
		if (after === undefined) return before === undefined ? [] : [keyOf(before)];
		if (after.spec?.nodeName === undefined) return [];
		const same = before?.spec?.nodeName === after.spec.nodeName && sameButNulls(before.spec.tolerations, after.spec.tolerations);
		return same ? [] : [keyOf(after)];
	};
	/** Since when pods are to go: tolerations last from then on, and not from each look anew. */
	const scheduled = new Map<Key, number>();
	const cancel = (key: Key): void => {
		if (!scheduled.delete(key)) return;
		const { namespace, name } = splitKey(key);
		recorder.event(
			{ apiVersion: 'v1', kind: 'Pod', namespace, name },
			'Normal',
			'TaintManagerEviction',
			`Cancelling deletion of Pod ${key}`,
		);
	};
	return {
		sources: [keysFrom(nodes, ofNode), keysFrom(pods, ofPod)],
		async reconcile(key, signal): Promise<Again | void> {
			const pod = pods.lister.get(key);
			if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return cancel(key);
			const node = nodes.lister.get(pod.spec?.nodeName ?? '');
			const now = clock.now();
			const since = scheduled.get(key) ?? now;
			const stay = stayOf(node?.spec?.taints ?? [], pod.spec?.tolerations ?? []);
			if (stay.type === 'stay') return cancel(key);
			if (stay.type === 'leave') cancel(key);
			else if (since + stay.ms > now) {
				scheduled.set(key, since);
				return { afterMs: since + stay.ms - now };
			}
			recorder.event(referenceTo(PODS, pod), 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
			await evict(client, pod, now, signal);
			scheduled.delete(key);
		},
	};
}

async function evict(client: Client, pod: Pod, now: number, signal: AbortSignal): Promise<void> {
	const condition = {
		type: 'DisruptionTarget',
		status: 'True',
		reason: 'DeletionByTaintManager',
		message: 'Taint manager: deleting due to NoExecute taint',
		lastTransitionTime: timeOf(now),
		...observedGeneration(pod),
	};
	const conditions = [...(pod.status?.conditions ?? []).filter((c) => c.type !== 'DisruptionTarget'), condition];
	const { uid } = pod.metadata;
	await client.update(PODS, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status', signal }).catch(ignore('NotFound'));
	await client.delete(PODS, keyOf(pod), { signal, ...(uid === undefined ? {} : { uid }) }).catch(ignore('NotFound', 'Aborted'));
}
