/** The table of rules: one entry a kind that has any beside metadata. */
import type { PodTemplate } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import * as certificates from './access/certificates.ts';
import * as rbac from './access/rbac.ts';
import * as policies from './admission/policies.ts';
import { validatingPolicyStatus } from './admission/policy-status.ts';
import { webhookConfiguration, webhookConfigurationUpdate } from './admission/webhooks.ts';
import { apiService, apiServiceStatus, apiServiceUpdate } from './api-service.ts';
import * as config from './config.ts';
import * as definition from './definitions/custom-resource-definition.ts';
import { resourceClaimStatusUpdate } from './devices/claim-status.ts';
import * as dra from './devices/dra.ts';
import { resourceSlice, resourceSliceUpdate } from './devices/resource-slices.ts';
import * as events from './events.ts';
import { flowSchema, flowStatus, priorityLevel } from './flow-control/flow-control.ts';
import { lease, leaseUpdate } from './lease.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from './metadata.ts';
import { dnsSubdomain } from './names.ts';
import { namespace, namespaceFinalize, namespaceStatus, namespaceUpdate } from './namespace.ts';
import { ingressStatusUpdate, serviceStatusUpdate } from './network/balancer-status.ts';
import * as endpoints from './network/endpoints.ts';
import { ingress, ingressClass, ingressClassUpdate, ingressUpdate } from './network/ingress.ts';
import { ipAddress, ipAddressUpdate } from './network/ip-address.ts';
import { networkPolicy, networkPolicyUpdate } from './network/network-policy.ts';
import { serviceCidr, serviceCidrUpdate } from './network/service-cidr.ts';
import { serviceUpdate } from './network/service-update.ts';
import { service } from './network/service.ts';
import { node, nodeStatus, nodeUpdate } from './node.ts';
import { podEphemeralUpdate } from './pod/ephemeral.ts';
import { STRICT } from './pod/options.ts';
import { podOptions } from './pod/options-before.ts';
import { podCreate } from './pod/pod.ts';
import { podResize } from './pod/resize.ts';
import { podStatusUpdate } from './pod/status.ts';
import { podTemplate } from './pod/template.ts';
import { podUpdate } from './pod/update.ts';
import { priorityClass, priorityClassUpdate } from './priority-class.ts';
import { limitRange, limitRangeUpdate } from './quota/limit-range.ts';
import * as quota from './quota/quota.ts';
import type { Errors, KindRules } from './rule.ts';
import { runtimeClass, runtimeClassUpdate } from './runtime-class.ts';
import { volumeClaimStatus } from './storage/claim-status.ts';
import * as classes from './storage/classes.ts';
import * as csi from './storage/csi.ts';
import { persistentVolumeClaim, persistentVolumeClaimUpdate } from './storage/persistent-volume-claim.ts';
import { persistentVolume } from './storage/persistent-volume.ts';
import { persistentVolumeUpdate } from './storage/volume-update.ts';
import { autoscaler, autoscalerStatus, autoscalerUpdate } from './workloads/autoscaling.ts';
import { controllerRevision, controllerRevisionUpdate } from './workloads/controller-revision.ts';
import { podDisruptionBudget, podDisruptionBudgetStatus, podDisruptionBudgetUpdate } from './workloads/disruption-budget.ts';
import { jobStatusUpdate } from './workloads/job-status.ts';
import { cronJob, cronJobUpdate, job, jobUpdate } from './workloads/jobs.ts';
import { countedStatus } from './workloads/status.ts';
import { replicationController, replicationControllerUpdate } from './workloads/replication-controller.ts';
import * as workloads from './workloads/workloads.ts';

type Create<T> = (out: Errors, object: T) => void;
type Update<T> = (out: Errors, object: T, old: T) => void;

/** Where no update rule is given, an update is checked as metadata and then as a create. */
function rules<T extends KubeObject>(create: Create<T>, update?: Update<T>, subresources?: Readonly<Record<string, Update<T>>>): KindRules {
	const checked: Update<T> =
		update ??
		((out, object, old) => {
			objectMetaUpdate(out, object.metadata, old.metadata);
			create(out, object);
		});
	return {
		create: create as Create<KubeObject>,
		update: checked as Update<KubeObject>,
		...(subresources === undefined ? {} : { subresources: subresources as Readonly<Record<string, Update<KubeObject>>> }),
	};
}

/** A status of counts. */
const counted = (kind: string): Readonly<Record<string, Update<KubeObject>>> => ({
	status: countedStatus(kind),
});

const TABLE: Readonly<Record<string, KindRules>> = {
	'/Pod': rules(podCreate, podUpdate, { status: podStatusUpdate, ephemeralcontainers: podEphemeralUpdate, resize: podResize }),
	'/PodTemplate': rules(
		(out, object: PodTemplate) => {
			objectMeta(out, object.metadata, NAMESPACED);
			podTemplate(out, 'template', object.template, STRICT);
		},
		(out, object, old) => {
			objectMetaUpdate(out, object.metadata, old.metadata);
			podTemplate(out, 'template', object.template, podOptions(old.template));
		},
	),
	'/Service': rules(service, serviceUpdate, { status: serviceStatusUpdate }),
	'/ConfigMap': rules(config.configMap, config.configMapUpdate),
	'/Secret': rules(config.secret, config.secretUpdate),
	'/Namespace': rules(namespace, namespaceUpdate, { status: namespaceStatus, finalize: namespaceFinalize }),
	'/ServiceAccount': rules(config.serviceAccount, config.serviceAccountUpdate),
	'/Node': rules(node, nodeUpdate, { status: nodeStatus }),
	'/Endpoints': rules(endpoints.endpoints, endpoints.endpointsUpdate),
	'/Event': rules(events.coreEvent, events.coreEventUpdate),
	'events.k8s.io/Event': rules(events.newEvent, events.newEventUpdate),
	'/ResourceQuota': rules(quota.resourceQuota, quota.resourceQuotaUpdate, { status: quota.resourceQuotaStatus }),
	'/LimitRange': rules(limitRange, limitRangeUpdate),
	'/PersistentVolume': rules(persistentVolume, persistentVolumeUpdate),
	'/PersistentVolumeClaim': rules(persistentVolumeClaim, persistentVolumeClaimUpdate, { status: volumeClaimStatus }),
	'/ReplicationController': rules(replicationController, replicationControllerUpdate, counted('ReplicationController')),
	'apps/Deployment': rules(workloads.deployment, workloads.deploymentUpdate, counted('Deployment')),
	'apps/ReplicaSet': rules(workloads.replicaSet, workloads.replicaSetUpdate, counted('ReplicaSet')),
	'apps/StatefulSet': rules(workloads.statefulSet, workloads.statefulSetUpdate, counted('StatefulSet')),
	'apps/DaemonSet': rules(workloads.daemonSet, workloads.daemonSetUpdate, counted('DaemonSet')),
	'apps/ControllerRevision': rules(controllerRevision, controllerRevisionUpdate),
	'batch/Job': rules(job, jobUpdate, { status: jobStatusUpdate }),
	'batch/CronJob': rules(cronJob, cronJobUpdate, { status: () => {} }),
	'autoscaling/HorizontalPodAutoscaler': rules(autoscaler, autoscalerUpdate, { status: autoscalerStatus }),
	'policy/PodDisruptionBudget': rules(podDisruptionBudget, podDisruptionBudgetUpdate, { status: podDisruptionBudgetStatus }),
	'networking.k8s.io/Ingress': rules(ingress, ingressUpdate, { status: ingressStatusUpdate }),
	'networking.k8s.io/IngressClass': rules(ingressClass, ingressClassUpdate),
	'networking.k8s.io/NetworkPolicy': rules(networkPolicy, networkPolicyUpdate),
	'networking.k8s.io/IPAddress': rules(ipAddress, ipAddressUpdate),
	'networking.k8s.io/ServiceCIDR': rules(serviceCidr, serviceCidrUpdate),
	'discovery.k8s.io/EndpointSlice': rules(endpoints.endpointSlice, endpoints.endpointSliceUpdate),
	'coordination.k8s.io/Lease': rules(lease, leaseUpdate),
	'scheduling.k8s.io/PriorityClass': rules(priorityClass, priorityClassUpdate),
	'node.k8s.io/RuntimeClass': rules(runtimeClass, runtimeClassUpdate),
	'storage.k8s.io/StorageClass': rules(classes.storageClass, classes.storageClassUpdate),
	'storage.k8s.io/CSIDriver': rules(csi.csiDriverKind, csi.csiDriverUpdate),
	'storage.k8s.io/CSINode': rules(csi.csiNode, csi.csiNodeUpdate),
	'storage.k8s.io/VolumeAttachment': rules(csi.volumeAttachment, csi.volumeAttachmentUpdate, {
		status: csi.volumeAttachmentUpdate,
	}),
	'storage.k8s.io/CSIStorageCapacity': rules(csi.csiStorageCapacity, csi.csiStorageCapacityUpdate),
	'storage.k8s.io/VolumeAttributesClass': rules(classes.volumeAttributesClass, classes.volumeAttributesClassUpdate),
	'rbac.authorization.k8s.io/Role': rules(rbac.role, rbac.roleUpdate),
	'rbac.authorization.k8s.io/RoleBinding': rules(rbac.roleBinding, rbac.roleBindingUpdate),
	'rbac.authorization.k8s.io/ClusterRole': rules(rbac.clusterRole, rbac.clusterRoleUpdate),
	'rbac.authorization.k8s.io/ClusterRoleBinding': rules(rbac.clusterRoleBinding, rbac.clusterRoleBindingUpdate),
	'certificates.k8s.io/CertificateSigningRequest': rules(
		certificates.certificateSigningRequest,
		certificates.certificateSigningRequestUpdate,
		{ status: certificates.certificateStatus, approval: certificates.certificateApproval },
	),
	'apiextensions.k8s.io/CustomResourceDefinition': rules(definition.customResourceDefinition, definition.customResourceDefinitionUpdate, {
		status: definition.customResourceDefinitionStatusUpdate,
	}),
	'resource.k8s.io/ResourceClaim': rules(dra.resourceClaim, dra.resourceClaimUpdate, { status: resourceClaimStatusUpdate }),
	'resource.k8s.io/ResourceClaimTemplate': rules(dra.resourceClaimTemplate, dra.resourceClaimTemplateUpdate),
	'resource.k8s.io/DeviceClass': rules(dra.deviceClass, dra.deviceClassUpdate),
	'resource.k8s.io/ResourceSlice': rules(resourceSlice, resourceSliceUpdate),
	'apiregistration.k8s.io/APIService': rules(apiService, apiServiceUpdate, { status: apiServiceStatus }),
	'flowcontrol.apiserver.k8s.io/FlowSchema': rules(flowSchema, flowSchema, { status: flowStatus }),
	'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': rules(priorityLevel, priorityLevel, { status: flowStatus }),
	'admissionregistration.k8s.io/ValidatingAdmissionPolicy': rules(
		policies.validatingAdmissionPolicy,
		policies.validatingAdmissionPolicyUpdate,
		{
			status: validatingPolicyStatus,
		},
	),
	'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': rules(
		policies.validatingAdmissionPolicyBinding,
		policies.validatingAdmissionPolicyBinding,
	),
	'admissionregistration.k8s.io/MutatingAdmissionPolicy': rules(policies.mutatingAdmissionPolicy, policies.mutatingAdmissionPolicyUpdate),
	'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': rules(
		policies.mutatingAdmissionPolicyBinding,
		policies.mutatingAdmissionPolicyBinding,
	),
	'admissionregistration.k8s.io/MutatingWebhookConfiguration': rules(webhookConfiguration, webhookConfigurationUpdate),
	'admissionregistration.k8s.io/ValidatingWebhookConfiguration': rules(webhookConfiguration, webhookConfigurationUpdate),
};

export function rulesOf(group: string, _version: string, kind: string, namespaced: boolean): KindRules {
	const known = TABLE[`${group}/${kind}`];
	if (known !== undefined) return known;
	return rules((out, object) => objectMeta(out, object.metadata, { name: dnsSubdomain, namespaced, finalizers: true }));
}
