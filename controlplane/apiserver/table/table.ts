/** Server-side tables: which kind is shown how, and rows from objects (upstream's TableConvertor). */
import type { ObjectMeta } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import {
	apiServicePrinter,
	bindingPrinter,
	certificateSigningRequestPrinter,
	customResourceDefinitionPrinter,
	flowSchemaPrinter,
	mutatingPolicyPrinter,
	mutatingWebhookPrinter,
	policyBindingPrinter,
	priorityLevelPrinter,
	rolePrinter,
	validatingPolicyPrinter,
	validatingWebhookPrinter,
} from './access.ts';
import { age, columns, type Cell, type Column, type Printer } from './column.ts';
import {
	componentStatusPrinter,
	configMapPrinter,
	eventPrinter,
	leasePrinter,
	namespacePrinter,
	nodePrinter,
	resourceQuotaPrinter,
	secretPrinter,
} from './core.ts';
import {
	endpointSlicePrinter,
	endpointsPrinter,
	ingressClassPrinter,
	ingressPrinter,
	ipAddressPrinter,
	networkPolicyPrinter,
	serviceCidrPrinter,
	servicePrinter,
} from './network.ts';
import { podPrinter } from './pod.ts';
import {
	csiDriverPrinter,
	csiNodePrinter,
	csiStorageCapacityPrinter,
	persistentVolumeClaimPrinter,
	persistentVolumePrinter,
	priorityClassPrinter,
	resourceClaimPrinter,
	resourceSlicePrinter,
	runtimeClassPrinter,
	storageClassPrinter,
	volumeAttachmentPrinter,
	volumeAttributesClassPrinter,
} from './storage.ts';
import {
	controllerRevisionPrinter,
	cronJobPrinter,
	daemonSetPrinter,
	deploymentPrinter,
	horizontalPodAutoscalerPrinter,
	jobPrinter,
	podDisruptionBudgetPrinter,
	podTemplatePrinter,
	replicaSetPrinter,
	replicationControllerPrinter,
	statefulSetPrinter,
} from './workloads.ts';

/** Kinds that have only a name and an age. */
const namedPrinter: Printer = {
	columns: columns('Name', 'Age'),
	cells: (o: { readonly metadata: ObjectMeta }, now): readonly Cell[] => [o.metadata.name ?? '', age(o, now)],
};

/** Kinds without a printer of their own upstream: name and the time of creation. */
const defaultPrinter: Printer = {
	columns: columns('Name', 'Created At:date'),
	cells: (o: { readonly metadata: ObjectMeta }): readonly Cell[] => [o.metadata.name ?? '', o.metadata.creationTimestamp ?? ''],
};

/** By kind; no two groups here show kinds of one name differently. */
const PRINTERS: Readonly<Record<string, Printer>> = {
	Pod: podPrinter,
	PodTemplate: podTemplatePrinter,
	PodDisruptionBudget: podDisruptionBudgetPrinter,
	ReplicationController: replicationControllerPrinter,
	ReplicaSet: replicaSetPrinter,
	DaemonSet: daemonSetPrinter,
	Deployment: deploymentPrinter,
	StatefulSet: statefulSetPrinter,
	ControllerRevision: controllerRevisionPrinter,
	Job: jobPrinter,
	CronJob: cronJobPrinter,
	HorizontalPodAutoscaler: horizontalPodAutoscalerPrinter,
	Service: servicePrinter,
	Endpoints: endpointsPrinter,
	EndpointSlice: endpointSlicePrinter,
	Ingress: ingressPrinter,
	IngressClass: ingressClassPrinter,
	NetworkPolicy: networkPolicyPrinter,
	ServiceCIDR: serviceCidrPrinter,
	IPAddress: ipAddressPrinter,
	Node: nodePrinter,
	Namespace: namespacePrinter,
	Event: eventPrinter,
	ConfigMap: configMapPrinter,
	Secret: secretPrinter,
	ServiceAccount: namedPrinter,
	Lease: leasePrinter,
	ComponentStatus: componentStatusPrinter,
	ResourceQuota: resourceQuotaPrinter,
	PersistentVolume: persistentVolumePrinter,
	PersistentVolumeClaim: persistentVolumeClaimPrinter,
	StorageClass: storageClassPrinter,
	VolumeAttributesClass: volumeAttributesClassPrinter,
	VolumeAttachment: volumeAttachmentPrinter,
	CSINode: csiNodePrinter,
	CSIDriver: csiDriverPrinter,
	CSIStorageCapacity: csiStorageCapacityPrinter,
	PriorityClass: priorityClassPrinter,
	RuntimeClass: runtimeClassPrinter,
	ResourceClaim: resourceClaimPrinter,
	ResourceClaimTemplate: namedPrinter,
	ResourceSlice: resourceSlicePrinter,
	DeviceClass: namedPrinter,
	Role: rolePrinter,
	ClusterRole: rolePrinter,
	RoleBinding: bindingPrinter,
	ClusterRoleBinding: bindingPrinter,
	CertificateSigningRequest: certificateSigningRequestPrinter,
	MutatingWebhookConfiguration: mutatingWebhookPrinter,
	ValidatingWebhookConfiguration: validatingWebhookPrinter,
	ValidatingAdmissionPolicy: validatingPolicyPrinter,
	ValidatingAdmissionPolicyBinding: policyBindingPrinter,
	MutatingAdmissionPolicy: mutatingPolicyPrinter,
	MutatingAdmissionPolicyBinding: policyBindingPrinter,
	FlowSchema: flowSchemaPrinter,
	PriorityLevelConfiguration: priorityLevelPrinter,
	APIService: apiServicePrinter,
	CustomResourceDefinition: customResourceDefinitionPrinter,
};

export interface Row {
	readonly cells: readonly Cell[];
	readonly conditions?: readonly {
		readonly type: 'Completed';
		readonly status: 'True';
		readonly reason: string;
		readonly message: string;
	}[];
}

export function columnsOf(kind: string): readonly Column[] {
	return (PRINTERS[kind] ?? defaultPrinter).columns;
}

/** One object's row; `now` is the wall time in ms that ages count to. */
export function rowOf(kind: string, object: KubeObject, now: number): Row {
	const printer = PRINTERS[kind] ?? defaultPrinter;
	const cells = printer.cells(object as never, now);
	const done = printer.completed?.(object as never);
	return done === undefined ? { cells } : { cells, conditions: [{ type: 'Completed', status: 'True', ...done }] };
}
