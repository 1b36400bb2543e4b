/** Deployments, their ReplicaSets and the end of their pods as sources of keys. */
import type { Pod, ReplicaSet } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { controllerOf, isEmptySelector } from '../owned.ts';
import type { Reconciler } from '../reconciler.ts';
import { DeploymentController } from './controller.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

export function deploymentReconciler({ client, informers, clock, recorder }: Deps): Reconciler {
	const deployments = informers.get(DEPLOYMENTS);
	const replicaSets = informers.get(REPLICA_SETS);
	const pods = informers.get(PODS);
	const controller = new DeploymentController({
		client,
		deployments: deployments.lister,
		replicaSets: replicaSets.lister,
		pods: pods.lister,
		recorder,
		clock,
	});
	/** Its Deployment, or any that could adopt it. */
	const ofSet = ({ before, after }: Change<ReplicaSet>): Iterable<Key> => {
		const states = [before, after].filter((rs) => rs !== undefined);
		const owners = states.map((rs) => ownerKey(rs, 'Deployment')).filter((key) => key !== undefined);
		const [orphan] = states.filter((rs) => controllerOf(rs) === undefined);
		if (orphan === undefined) return new Set(owners);
		const adopting = deployments.lister
			.list(orphan.metadata.namespace)
			.filter((d) => !isEmptySelector(d.spec?.selector) && matchesLabelSelector(d.spec?.selector, orphan.metadata.labels ?? {}));
		return new Set([...owners, ...adopting.map(keyOf)]);
	};
	/** A Recreate Deployment waits for its last old pod to be gone or over. */
	const ofPod = ({ before, after }: Change<Pod>): Iterable<Key> => {
		const pod = after ?? before;
		const over = after === undefined || isTerminal(after);
		const setKey = pod === undefined || !over ? undefined : ownerKey(pod, 'ReplicaSet');
		const set = setKey === undefined ? undefined : replicaSets.lister.get(setKey);
		const key = set === undefined ? undefined : ownerKey(set, 'Deployment');
		return key !== undefined && deployments.lister.get(key)?.spec?.strategy?.type === 'Recreate' ? [key] : [];
	};
	return {
		sources: [keysFrom(deployments), keysFrom(replicaSets, ofSet), keysFrom(pods, ofPod)],
		reconcile: (key, signal) => controller.reconcile(key, signal),
	};
}

function ownerKey(object: KubeObject, kind: string): Key | undefined {
	const ref = controllerOf(object);
	return ref?.kind === kind ? keyOf({ metadata: { namespace: object.metadata.namespace, name: ref.name } }) : undefined;
}
