/** The admission plugins that run, in upstream's order (AllOrderedPlugins). */
import type { Clock } from '../../../base/clock.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { AdmissionPlugin, Authorizer, ObjectReader, ObjectWriter } from '../contracts.ts';
import type { Kinds } from '../registry/kinds.ts';
import { podSecurityMetrics } from '../metrics/pod-security-metrics.ts';
import { policyMetrics } from '../metrics/policy-metrics.ts';
import { webhookMetrics } from '../metrics/webhook-metrics.ts';
import type { WebhookCaller } from '../webhook/caller.ts';
import type { Remote } from '../webhook/remote.ts';
import { alwaysDeny } from './always-deny.ts';
import { alwaysPullImages } from './pods/always-pull-images.ts';
import { antiAffinityTopology } from './pods/anti-affinity-topology.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates/certificates.ts';
import { PersistentVolumeClaimResize } from './storage/claim-resize.ts';
import { DefaultIngressClass } from './network/default-ingress-class.ts';
import { DefaultStorageClass } from './storage/default-storage-class.ts';
import { DefaultTolerationSeconds } from './pods/default-toleration-seconds.ts';
import { extendedResourceToleration } from './pods/extended-resource-toleration.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { denyExternalIps } from './network/external-ips.ts';
import { imagePolicy } from './pods/image-policy.ts';
import { LimitRanger } from './quota/limit-ranger.ts';
import { Versions } from './matching/versions.ts';
import { namespaceAutoProvision, namespaceExists } from './namespaces/namespace-existence.ts';
import { NamespaceLifecycle } from './namespaces/namespace-lifecycle.ts';
import { NodeRestriction } from './nodes/node-restriction.ts';
import { ownerReferences } from './owner-references.ts';
import { isChosen, type PluginChoice } from './plugin-choice.ts';
import type { AdmissionSettings } from './configuration/settings.ts';
import { podNodeSelector } from './pods/pod-node-selector.ts';
import { podTolerationRestriction } from './pods/pod-tolerations.ts';
import { MutatingPolicies } from './policies/mutating.ts';
import { ValidatingPolicies } from './policies/validating.ts';
import { CelMatchConditions } from './policies/webhook-conditions.ts';
import { PodSecurity } from './pod-security/pod-security.ts';
import { nodeDeclaredFeatures, podResizeValidator } from './pods/pod-resize.ts';
import { PodTopologyLabels } from './pods/pod-topology-labels.ts';
import { Priority } from './pods/priority.ts';
import { ResourceQuotaAdmission } from './quota/resource-quota.ts';
import { RuntimeClassAdmission } from './pods/runtime-class.ts';
import { ServiceAccountAdmission } from './pods/service-account.ts';
import { StorageObjectInUseProtection } from './storage/storage-object-in-use-protection.ts';
import { TaintNodesByCondition } from './nodes/taint-nodes-by-condition.ts';
import { MutatingWebhooks } from './webhooks/mutating.ts';
import { ValidatingWebhooks } from './webhooks/validating.ts';

export interface AdmissionDeps {
	readonly objects: ObjectReader;
	readonly writer: ObjectWriter;
	readonly authorizer: Authorizer;
	readonly clock: Clock;
	readonly kinds: Kinds;
	readonly caller: WebhookCaller;
	/** For webhooks that are called as somebody. */
	readonly mutatingCaller?: WebhookCaller | undefined;
	readonly validatingCaller?: WebhookCaller | undefined;
	/** Beside the usual ones, or without some of them. */
	readonly choice?: PluginChoice | undefined;
	/** What plugins are told beside. */
	readonly settings?: AdmissionSettings | undefined;
	/** The service that ImagePolicyWebhook asks. */
	readonly images?: Remote | undefined;
	createNamespace(name: string, signal: AbortSignal): Promise<unknown>;
	/** Absent: nobody counts. */
	readonly metrics?: Registry | undefined;
}

export function admissionPlugins(deps: AdmissionDeps): readonly AdmissionPlugin[] {
	const { objects, writer, authorizer, clock, kinds, metrics, choice = { enabled: [], disabled: [] }, settings = {} } = deps;
	const versions = new Versions(kinds, clock);
	const measures = metrics === undefined ? undefined : webhookMetrics(metrics);
	const counted = metrics === undefined ? undefined : policyMetrics(metrics);
	const policies = { objects, authorizer, clock, kinds, versions, measures: counted, conditions: measures?.conditions };
	const webhooks = { ...deps, versions, conditions: new CelMatchConditions(authorizer), measures };
	const { imagePolicy: images, podSecurity } = settings;
	const all = [
		namespaceAutoProvision(objects, deps.createNamespace),
		new NamespaceLifecycle(objects),
		namespaceExists(objects),
		antiAffinityTopology(),
		new LimitRanger(objects),
		new ServiceAccountAdmission(objects, clock),
		new NodeRestriction(objects, authorizer),
		new TaintNodesByCondition(),
		alwaysPullImages(),
		...(images === undefined || deps.images === undefined ? [] : [imagePolicy(images, deps.images, clock)]),
		new PodSecurity(
			objects,
			podSecurity?.exemptions,
			metrics === undefined ? undefined : podSecurityMetrics(metrics),
			podSecurity?.defaults,
		),
		podNodeSelector(objects, settings.nodeSelectors),
		new Priority(objects),
		new DefaultTolerationSeconds(settings.tolerationSeconds),
		podTolerationRestriction(objects, settings.tolerations),
		eventRateLimit(settings.eventLimits ?? [], clock),
		extendedResourceToleration(),
		new DefaultStorageClass(objects),
		new StorageObjectInUseProtection(),
		ownerReferences(authorizer, kinds),
		new PersistentVolumeClaimResize(objects),
		new RuntimeClassAdmission(objects),
		certificateApproval(authorizer),
		certificateSigning(authorizer),
		certificateSubjectRestriction(),
		new DefaultIngressClass(objects),
		denyExternalIps(),
		new PodTopologyLabels(objects),
		nodeDeclaredFeatures(objects),
		podResizeValidator(objects),
		new MutatingPolicies(policies),
		new MutatingWebhooks({ ...webhooks, caller: deps.mutatingCaller ?? deps.caller }),
		new ValidatingPolicies(policies),
		new ValidatingWebhooks({ ...webhooks, caller: deps.validatingCaller ?? deps.caller }),
		new ResourceQuotaAdmission({ objects, writer, clock, limited: settings.limitedResources }),
		alwaysDeny(),
	];
	return all.filter(({ name }) => isChosen(name, choice));
}
