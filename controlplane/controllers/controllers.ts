/** Which controllers run, and how each is wired to its informers, its queue and its events. */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createController } from '../../client/controller.ts';
import { createRecorder, type EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';
import { clusterRoleAggregation } from './clusterrole-aggregation.ts';
import { deploymentReconciler } from './deployment/wiring.ts';
import { endpointSliceController } from './endpointslice/controller.ts';
import { garbageCollector } from './garbage-collector/service.ts';
import { jobController } from './job/controller.ts';
import { namespaceController } from './namespace/controller.ts';
import { nodeLifecycleController } from './node-lifecycle/controller.ts';
import { podGarbageCollector } from './pod-gc.ts';
import type { Reconciler } from './reconciler.ts';
import { replicaSetReconciler } from './replicaset/wiring.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { retryingConflicts } from './conflicts.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { serviceAccountController } from './service-account.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';
import { taintEvictionController } from './taint-eviction/controller.ts';

export interface ControllersDeps {
	/** Acts as the controller manager (or a superuser). */
	readonly client: Client;
	/** Run by the caller, before these services. */
	readonly informers: Informers;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Registry;
	/** PEM of the CA by which pods trust the API server. */
	readonly rootCa: string;
	/** Services that must be ready first; the informers unless told. */
	readonly after?: readonly string[];
}

/** Upstream's usual --concurrent-…-syncs. */
const WORKERS = 5;

interface Parts {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Name (upstream's, as events show it), and what it does. */
const CONTROLLERS: readonly (readonly [string, (parts: Parts, deps: ControllersDeps) => Reconciler, number?])[] = [
	['namespace-controller', (parts) => namespaceController(parts), 10],
	['serviceaccount-controller', ({ client, informers }) => serviceAccountController(client, informers)],
	['root-ca-certificate-publisher-controller', ({ client, informers }, { rootCa }) => rootCaPublisher(client, informers, rootCa)],
	['replicaset-controller', (parts) => replicaSetReconciler(parts)],
	['deployment-controller', (parts) => deploymentReconciler(parts)],
	['job-controller', (parts) => jobController(parts)],
	['endpointslice-controller', (parts) => endpointSliceController(parts)],
	['node-controller', (parts) => nodeLifecycleController(parts), 8],
	['taint-eviction-controller', (parts) => taintEvictionController(parts), 8],
	['pod-garbage-collector-controller', ({ client, informers, clock }) => podGarbageCollector(client, informers, clock)],
	['ttl-after-finished-controller', ({ client, informers, clock }) => ttlAfterFinished(client, informers, clock)],
	['resourcequota-controller', (parts) => resourceQuotaController(parts)],
	['clusterrole-aggregation-controller', ({ client, informers }) => clusterRoleAggregation(client, informers)],
];

/** All controllers as Services, with the recorders that write their events. */
export function createControllers(deps: ControllersDeps): readonly Service[] {
	const { informers, clock, log, metrics } = deps;
	const after = deps.after ?? [informers.name];
	const client = deps.client.as('kube-controller-manager');
	const optional = metrics === undefined ? {} : { metrics };
	const services: Service[] = [garbageCollector({ client, informers, clock, log, after, ...optional })];
	for (const [name, make, workers = WORKERS] of CONTROLLERS) {
		const recorder = createRecorder({ client, clock, log, component: name, after });
		const { sources, reconcile } = make({ client, informers, clock, recorder }, deps);
		services.push(
			recorder,
			createController({ name, sources, reconcile: retryingConflicts(reconcile), clock, log, workers, after, ...optional }),
		);
	}
	return services;
}
