/** ReplicaSets and their pods as sources of keys; what was expected is ticked off as it is seen. */
import type { Pod } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { PODS, REPLICA_SETS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { Expectations } from '../expectations.ts';
import { controllerOf } from '../owned.ts';
import type { Reconciler } from '../reconciler.ts';
import { ReplicaSetController, setsOfPod } from './controller.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

export function replicaSetReconciler({ client, informers, clock, recorder }: Deps): Reconciler {
	const replicaSets = informers.get(REPLICA_SETS);
	const pods = informers.get(PODS);
	const expectations = new Expectations(clock);
	const controller = new ReplicaSetController({
		client,
		replicaSets: replicaSets.lister,
		pods: pods.lister,
		recorder,
		expectations,
		clock,
	});
	const ofPod = ({ before, after }: Change<Pod>): Iterable<Key> => {
		const owner = ownerKey(after ?? before);
		if (owner !== undefined) {
			if (before === undefined && after?.metadata.deletionTimestamp === undefined) expectations.creationObserved(owner);
			if (after === undefined || after.metadata.deletionTimestamp !== undefined)
				expectations.deletionObserved(owner, (after ?? before)?.metadata.uid ?? '');
		}
		return new Set([before, after].flatMap((pod) => (pod === undefined ? [] : setsOfPod(pod, replicaSets.lister))));
	};
	return {
		sources: [keysFrom(replicaSets), keysFrom(pods, ofPod)],
		reconcile: (key, signal) => controller.reconcile(key, signal),
	};
}

/** The key of the ReplicaSet that controls the pod. */
function ownerKey(pod: Pod | undefined): Key | undefined {
	const ref = pod === undefined ? undefined : controllerOf(pod);
	if (pod === undefined || ref?.kind !== 'ReplicaSet') return undefined;
	return keyOf({ metadata: { namespace: pod.metadata.namespace, name: ref.name } });
}
