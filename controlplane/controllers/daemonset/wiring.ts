/** DaemonSets, their pods and revisions, and nodes as sources of keys. */
import type { ControllerRevision, Node, Pod } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { Expectations } from '../expectations.ts';
import { interested, itself, seen } from '../interest.ts';
import type { Reconciler } from '../reconciler.ts';
import { DaemonSetController } from './controller.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

export function daemonSetReconciler({ client, informers, clock, recorder }: Deps): Reconciler {
	const daemonSets = informers.get(DAEMON_SETS);
	const pods = informers.get(PODS);
	const nodes = informers.get(NODES);
	const revisions = informers.get(CONTROLLER_REVISIONS);
	const expectations = new Expectations(clock);
	const controller = new DaemonSetController({
		...{ client, recorder, expectations, clock },
		...{ daemonSets: daemonSets.lister, pods: pods.lister, nodes: nodes.lister, revisions: revisions.lister },
	});
	const ofPod = (change: Change<Pod>): Iterable<Key> => {
		seen(change, DAEMON_SETS.kind, expectations);
		return interested(change, DAEMON_SETS.kind, daemonSets.lister);
	};
	/** Only names, labels and taints decide where daemons run. */
	const ofNode = ({ before, after }: Change<Node>): Iterable<Key> => {
		const same =
			before !== undefined &&
			after !== undefined &&
			sameButNulls(before.metadata.labels, after.metadata.labels) &&
			sameButNulls(before.spec?.taints, after.spec?.taints);
		return same ? [] : daemonSets.lister.list().map(keyOf);
	};
	return {
		sources: [
			keysFrom(daemonSets, (change) => itself(change, expectations)),
			keysFrom(pods, ofPod),
			keysFrom(revisions, (change: Change<ControllerRevision>) => interested(change, DAEMON_SETS.kind, daemonSets.lister)),
			keysFrom(nodes, ofNode),
		],
		reconcile: (key, signal) => controller.reconcile(key, signal),
	};
}
