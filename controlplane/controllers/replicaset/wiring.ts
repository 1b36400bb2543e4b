/** ReplicaSets or ReplicationControllers and their pods as sources of keys; what was expected is ticked off as it is seen. */
import type { Pod, ReplicaSet, ReplicationController } from '../../../api/gen/types.ts';
import type { Key, KubeObject, Resource } from '../../../api/resource.ts';
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change, Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { Expectations } from '../expectations.ts';
import { interested, itself, seen } from '../interest.ts';
import type { Reconciler } from '../reconciler.ts';
import { asReplicaSets, ofReplicationController, withoutTerminating } from './conversion.ts';
import { ReplicaSetController, type ReplicaSetDeps } from './controller.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

export function replicaSetReconciler(deps: Deps): Reconciler {
	const { client, informers } = deps;
	return reconciler<ReplicaSet>(deps, REPLICA_SETS, informers.get(REPLICA_SETS).lister, {
		shape: (status) => status,
		writeStatus: (rs, status, signal) => client.update(REPLICA_SETS, { ...rs, status }, { signal, subresource: 'status' }),
	});
}

/** The same work, as upstream does it: a ReplicationController is a ReplicaSet with a simpler selector. */
export function replicationControllerReconciler(deps: Deps): Reconciler {
	const { client, informers } = deps;
	const sets = asReplicaSets(informers.get(REPLICATION_CONTROLLERS).lister);
	return reconciler<ReplicationController>(deps, REPLICATION_CONTROLLERS, sets, {
		shape: withoutTerminating,
		writeStatus: (rs, status, signal) =>
			client.update(REPLICATION_CONTROLLERS, ofReplicationController(rs, status), { signal, subresource: 'status' }),
	});
}

function reconciler<T extends KubeObject>(
	{ client, informers, clock, recorder }: Deps,
	resource: Resource<T>,
	replicaSets: Lister<ReplicaSet>,
	status: Pick<ReplicaSetDeps, 'shape' | 'writeStatus'>,
): Reconciler {
	const pods = informers.get(PODS);
	const expectations = new Expectations(clock);
	const controller = new ReplicaSetController({
		client,
		resource,
		...status,
		replicaSets,
		pods: pods.lister,
		recorder,
		expectations,
		clock,
	});
	const ofPod = (change: Change<Pod>): Iterable<Key> => {
		seen(change, resource.kind, expectations);
		return interested(change, resource.kind, replicaSets);
	};
	return {
		sources: [keysFrom(informers.get(resource), (change) => itself(change, expectations)), keysFrom(pods, ofPod)],
		reconcile: (key, signal) => controller.reconcile(key, signal),
	};
}
