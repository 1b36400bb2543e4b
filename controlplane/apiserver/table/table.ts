/** Server-side tables: which kind is shown how, and rows from objects (upstream's TableConvertor). */
import type { ObjectMeta } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import {
	apiServicePrinter,
	bindingPrinter,
	certificateSigningRequestPrinter,
	flowSchemaPrinter,
	mutatingPolicyPrinter,
	mutatingWebhookPrinter,
	policyBindingPrinter,
	priorityLevelPrinter,
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
import { described } from './descriptions.ts';
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
	customScalePrinter,
	daemonSetPrinter,
	deploymentPrinter,
	horizontalPodAutoscalerPrinter,
	jobPrinter,
	podDisruptionBudgetPrinter,
	podTemplatePrinter,
	replicaSetPrinter,
	replicationControllerPrinter,
	scalePrinter,
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
	Scale: scalePrinter,
	CustomScale: customScalePrinter,
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
	PriorityClass: priorityClassPrinter,
	RuntimeClass: runtimeClassPrinter,
	ResourceClaim: resourceClaimPrinter,
	ResourceClaimTemplate: namedPrinter,
	ResourceSlice: resourceSlicePrinter,
	DeviceClass: namedPrinter,
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
};

/** Whether a list without objects has null for its rows, as the default printer's has. */
export function isShownByDefault(kind: string): boolean {
	return PRINTERS[kind] === undefined;
}

export interface Row {
	readonly cells: readonly Cell[];
	readonly conditions?: readonly {
		readonly type: 'Completed';
		readonly status: 'True';
		readonly reason: string;
		readonly message: string;
	}[];
}

const columnsByKind = new Map<string, readonly Column[]>();

export function columnsOf(kind: string): readonly Column[] {
	let columns = columnsByKind.get(kind);
	if (columns === undefined) {
		columns = described(kind, (PRINTERS[kind] ?? defaultPrinter).columns);
		columnsByKind.set(kind, columns);
	}
	return columns;
}

/** One object's row; `now` is the wall time in ms that ages count to. */
export function rowOf(kind: string, object: KubeObject, now: number): Row {
	const printer = PRINTERS[kind] ?? defaultPrinter;
	const cells = printer.cells(object as never, now);
	const done = printer.completed?.(object as never);
	return done === undefined ? { cells } : { cells, conditions: [{ type: 'Completed', status: 'True', ...done }] };
}
