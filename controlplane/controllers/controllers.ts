/** Which controllers run, and how each is wired to its informers, its queue and its events. */
import type { BackoffPolicy } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createController } from '../../client/controller.ts';
import { createRecorder, type EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';
import type { Authority } from '../../wire/tls/authority.ts';
import { certificateApproving } from './certificates/approving.ts';
import { certificateCleaning } from './certificates/cleaning.ts';
import { certificateSigning } from './certificates/signing.ts';
import { clusterRoleAggregation } from './clusterrole-aggregation.ts';
import { cronJobReconciler } from './cronjob/controller.ts';
import { daemonSetReconciler } from './daemonset/wiring.ts';
import { deploymentReconciler } from './deployment/wiring.ts';
import { disruptionController } from './disruption/controller.ts';
import { staleDisruptions } from './disruption/stale.ts';
import { endpointsController } from './endpoints/controller.ts';
import { endpointSliceMirroring } from './endpointslice-mirroring/controller.ts';
import { endpointSliceController } from './endpointslice/controller.ts';
import { ephemeralVolumes } from './ephemeral-volume.ts';
import { GARBAGE_COLLECTOR, garbageCollector } from './garbage-collector/service.ts';
import { horizontalPodAutoscaling } from './horizontal-pod-autoscaler/controller.ts';
import { jobController } from './job/controller.ts';
import { namespaceController } from './namespace/controller.ts';
import { nodeLifecycleController } from './node-lifecycle/controller.ts';
import { persistentVolumeExpander } from './persistent-volume-expander.ts';
import { persistentVolumeBinder } from './persistent-volume/controller.ts';
import { podGarbageCollector } from './pod-gc.ts';
import { policyStatus } from './policy-status/controller.ts';
import type { Reconciler } from './reconciler.ts';
import { replicaSetReconciler, replicationControllerReconciler } from './replicaset/wiring.ts';
import { resourceClaims } from './resource-claim/controller.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { retryingConflicts } from './conflicts.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { serviceCidrs } from './service-cidrs/controller.ts';
import { serviceAccountTokens } from './serviceaccount-token/controller.ts';
import { legacyTokenCleaner } from './serviceaccount-token/legacy-token-cleaner.ts';
import { attributesClassProtection } from './storage-protection/attributes-class.ts';
import { claimProtection, volumeProtection } from './storage-protection/controllers.ts';
import { attachDetachController } from './attach-detach/controller.ts';
import { bootstrapSigner, tokenCleaner } from './bootstrap-token/controllers.ts';
import { nodeTtl } from './node-ttl.ts';
import { serviceAccountController } from './service-account.ts';
import { statefulSetReconciler } from './statefulset/controller.ts';
import { terminatedPods } from './terminated-pods.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';
import { taintEvictionController } from './taint-eviction/controller.ts';

export interface ControllersDeps {
	/** Acts as the controller manager (or a superuser); the informers are its. */
	readonly client: Client;
	/** A client that acts as the service account of this name in kube-system, which upstream's bootstrap policy gives just the rights its controller needs; `client` unless told. */
	readonly clientOf?: (serviceAccount: string) => Client;
	/** Run by the caller, before these services. */
	readonly informers: Informers;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Registry;
	/** PEM of the CA by which pods trust the API server. */
	readonly rootCa: string;
	/** The CA that signs what CertificateSigningRequests ask for, read anew for each; without it nothing is signed. */
	readonly signing?: () => Promise<Authority>;
	/** PEM of the key that signs service-account tokens; without it secrets of tokens are not filled. */
	readonly serviceAccountKey?: string;
	/** Of schedules that name none; this process's own unless told. */
	readonly zone?: string;
	/** Services that must be ready first; the informers unless told. */
	readonly after?: readonly string[];
	/** Those that the first pod of a cluster waits for, or all others; all unless told. */
	readonly which?: 'first' | 'others';
}

/** Upstream's usual --concurrent-…-syncs. */
const WORKERS = 5;

interface Parts {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

interface Described {
	/** Upstream's name, also of its queue. */
	readonly name: string;
	/** The service account it acts as (upstream's cmd/kube-controller-manager/app); undefined: the manager itself. */
	readonly account: string | undefined;
	/** Who its events say reports; the name unless told. */
	readonly component?: string;
	readonly workers?: number;
	/** Of its queue, where it is not client-go's. */
	readonly backoff?: BackoffPolicy;
	/** A cluster's first pod waits for it: for its service account, for the CA in its volume, for a node without the taint that keeps it away. */
	readonly first?: true;
	/** Undefined where it has nothing to work with. */
	readonly make: (parts: Parts, deps: ControllersDeps) => Reconciler | undefined;
}

const CONTROLLERS: readonly Described[] = [
	{
		...{ name: 'namespace-controller', account: 'namespace-controller', workers: 10 },
		...{ backoff: { initialMs: 5, maxMs: 60_000 }, make: namespaceController },
	},
	{
		...{ name: 'serviceaccount-controller', account: 'service-account-controller', first: true },
		make: ({ client, informers }) => serviceAccountController(client, informers),
	},
	{
		...{ name: 'root-ca-certificate-publisher-controller', account: 'root-ca-cert-publisher', first: true },
		make: ({ client, informers }, { rootCa }) => rootCaPublisher(client, informers, rootCa),
	},
	{ name: 'replicaset-controller', account: 'replicaset-controller', make: replicaSetReconciler },
	{
		...{ name: 'replicationcontroller-controller', account: 'replication-controller', component: 'replication-controller' },
		make: replicationControllerReconciler,
	},
	{ name: 'deployment-controller', account: 'deployment-controller', make: deploymentReconciler },
	{ name: 'statefulset-controller', account: 'statefulset-controller', make: statefulSetReconciler },
	{ name: 'daemonset-controller', account: 'daemon-set-controller', make: daemonSetReconciler },
	{ name: 'job-controller', account: 'job-controller', make: (parts, { metrics }) => jobController(parts, metrics) },
	{
		...{ name: 'cronjob-controller', account: 'cronjob-controller' },
		make: (parts, { zone }) => cronJobReconciler(parts, { zone }),
	},
	{
		...{ name: 'horizontal-pod-autoscaler-controller', account: 'horizontal-pod-autoscaler' },
		...{ component: 'horizontal-pod-autoscaler', make: (parts, { metrics }) => horizontalPodAutoscaling(parts, metrics) },
	},
	{
		...{ name: 'endpointslice-controller', account: 'endpointslice-controller', component: 'endpoint-slice-controller' },
		...{ backoff: { initialMs: 1000, maxMs: 1_000_000 }, make: endpointSliceController },
	},
	{ name: 'node-controller', account: 'node-controller', workers: 8, first: true, make: nodeLifecycleController },
	{ name: 'taint-eviction-controller', account: 'node-controller', workers: 8, make: taintEvictionController },
	{
		...{ name: 'pod-garbage-collector-controller', account: 'pod-garbage-collector' },
		make: ({ client, informers, clock }) => podGarbageCollector(client, informers, clock),
	},
	{
		...{ name: 'terminated-pods', account: 'pod-garbage-collector', workers: 1 },
		make: ({ client, informers }) => terminatedPods(client, informers),
	},
	{
		...{ name: 'ttl-after-finished-controller', account: 'ttl-after-finished-controller' },
		make: ({ client, informers, clock }) => ttlAfterFinished(client, informers, clock),
	},
	{ name: 'resourcequota-controller', account: 'resourcequota-controller', make: resourceQuotaController },
	{
		...{ name: 'clusterrole-aggregation-controller', account: 'clusterrole-aggregation-controller' },
		make: ({ client, informers }) => clusterRoleAggregation(client, informers),
	},
	{
		name: 'disruption-controller',
		account: 'disruption-controller',
		component: 'controllermanager',
		workers: 1,
		make: disruptionController,
	},
	{
		...{ name: 'stale-pod-disruption', account: 'disruption-controller', workers: 1 },
		make: ({ client, informers, clock }) => staleDisruptions(client, informers, clock),
	},
	{
		...{ name: 'certificatesigningrequest-approving-controller', account: 'certificate-controller' },
		make: ({ client, informers, clock }) => certificateApproving(client, informers, clock),
	},
	{
		...{ name: 'certificatesigningrequest-signing-controller', account: 'certificate-controller' },
		make: ({ client, informers, clock }, { signing }) =>
			signing === undefined ? undefined : certificateSigning(client, informers, clock, signing),
	},
	{
		...{ name: 'certificatesigningrequest-cleaner-controller', account: 'certificate-controller' },
		make: ({ client, informers, clock }) => certificateCleaning(client, informers, clock),
	},
	{ name: 'endpoints-controller', account: 'endpoint-controller', component: 'endpoint-controller', make: endpointsController },
	{
		...{ name: 'endpointslice-mirroring-controller', account: 'endpointslicemirroring-controller' },
		...{ component: 'endpoint-slice-mirroring-controller', make: endpointSliceMirroring },
	},
	{
		...{ name: 'service-cidr-controller', account: 'service-cidrs-controller' },
		make: serviceCidrs,
	},
	{
		// Upstream's token controller is the manager itself: its role alone may write secrets everywhere.
		...{ name: 'serviceaccount-token-controller', account: undefined },
		make: ({ client, informers }, { rootCa, serviceAccountKey }) =>
			serviceAccountKey === undefined ? undefined : serviceAccountTokens(client, informers, rootCa, serviceAccountKey),
	},
	{
		...{ name: 'legacy-serviceaccount-token-cleaner-controller', account: 'legacy-service-account-token-cleaner', workers: 1 },
		make: ({ client, informers, clock }) => legacyTokenCleaner(client, informers, clock),
	},
	{
		...{ name: 'bootstrap-signer-controller', account: 'bootstrap-signer' },
		make: ({ client, informers, clock }) => bootstrapSigner(client, informers, clock),
	},
	{
		...{ name: 'token-cleaner-controller', account: 'token-cleaner' },
		make: ({ client, informers, clock }) => tokenCleaner(client, informers, clock),
	},
	{
		...{ name: 'validatingadmissionpolicy-status-controller', account: 'validatingadmissionpolicy-status-controller' },
		make: ({ client, informers }) => policyStatus(client, informers),
	},
	{ name: 'ttl-controller', account: 'ttl-controller', make: ({ client, informers }) => nodeTtl(client, informers) },
	{
		...{ name: 'ephemeral-volume-controller', account: 'ephemeral-volume-controller', component: 'ephemeral_volume' },
		make: ({ client, informers, recorder }, { metrics }) => ephemeralVolumes(client, informers, recorder, metrics),
	},
	{
		...{ name: 'resourceclaim-controller', account: 'resource-claim-controller', component: 'resource_claim' },
		make: ({ client, informers, recorder }, { metrics }) => resourceClaims(client, informers, recorder, metrics),
	},
	{
		...{ name: 'persistentvolume-binder-controller', account: 'persistent-volume-binder', component: 'persistentvolume-controller' },
		...{ workers: 1, make: (parts, { metrics }) => persistentVolumeBinder(parts, metrics) },
	},
	{
		...{ name: 'persistentvolume-attach-detach-controller', account: 'attachdetach-controller', component: 'attachdetach-controller' },
		...{ workers: 1, make: (parts, { metrics }) => attachDetachController(parts, metrics) },
	},
	{
		...{ name: 'persistentvolumeclaim-protection-controller', account: 'pvc-protection-controller' },
		make: ({ client, informers }) => claimProtection(client, informers),
	},
	{
		...{ name: 'persistentvolume-protection-controller', account: 'pv-protection-controller' },
		make: ({ client, informers }) => volumeProtection(client, informers),
	},
	{
		...{ name: 'volumeattributesclass-protection-controller', account: 'volumeattributesclass-protection-controller' },
		make: ({ client, informers }) => attributesClassProtection(client, informers),
	},
	{
		...{ name: 'persistentvolume-expander-controller', account: 'expand-controller', component: 'volume_expand' },
		make: ({ informers, recorder }) => persistentVolumeExpander(informers, recorder),
	},
];

/** The controllers as Services, with the recorders that write their events. */
export function createControllers(deps: ControllersDeps): readonly Service[] {
	const { informers, clock, log, metrics, which } = deps;
	const after = deps.after ?? [informers.name];
	const as = (account: string | undefined): Client =>
		((account === undefined ? undefined : deps.clientOf?.(account)) ?? deps.client).as('kube-controller-manager');
	const optional = metrics === undefined ? {} : { metrics };
	const services: Service[] = [];
	if (which !== 'first') {
		const client = as(GARBAGE_COLLECTOR);
		const [component, name] = ['garbage-collector-controller', `events/${GARBAGE_COLLECTOR}`];
		const recorder = createRecorder({ client, clock, log, component, name, after });
		services.push(recorder, garbageCollector({ client, informers, clock, log, recorder, after, ...optional }));
	}
	for (const { name, account, component = name, workers = WORKERS, first = false, backoff, make } of CONTROLLERS) {
		if (which !== undefined && first !== (which === 'first')) continue;
		const client = as(account);
		const recorder = createRecorder({ client, clock, log, component, name: `events/${name}`, after });
		const reconciler = make({ client, informers, clock, recorder }, deps);
		if (reconciler === undefined) continue;
		const { sources, reconcile } = reconciler;
		services.push(
			recorder,
			createController({
				...{ name, sources, reconcile: retryingConflicts(reconcile, clock), clock, log, workers, after },
				...optional,
				...(backoff === undefined ? {} : { backoff }),
			}),
		);
	}
	return services;
}
