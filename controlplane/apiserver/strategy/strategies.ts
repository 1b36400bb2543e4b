/** One entry a kind that is not plain. The key is "group/Kind". */
import { daemonSetStrategy } from './apps.ts';
import { cronJobAndJob } from './batch.ts';
import { apiServiceStrategy } from './api-service.ts';
import { customResourceDefinitionStrategy } from './custom-resource-definition.ts';
import { claimStrategy } from './claim.ts';
import { forgetReturned, timeTaints } from './devices.ts';
import { endpointSliceStrategy } from './endpoint-slice.ts';
import { nodeFields, podStrategy } from './pod.ts';
import { secretStrategy } from './secret.ts';
import { serviceStrategy } from './service.ts';
import { signingRequest } from './signing-request.ts';
import { nodeStatus, phaseTimed, statusKeepsAllMetadata, statusKeepsLabels, statusKeepsMetadata, withoutConfig } from './status.ts';
import { fieldsAt, textAt, type Draft, type ScalePaths, type Strategy } from './strategy.ts';

const ADMISSION = 'admissionregistration.k8s.io';
const EVENT_TTL_MS = 3_600_000;

const IN_SPEC = ['spec', 'replicas'];
const replicasScale: ScalePaths = {
	paths: { v1: IN_SPEC, 'apps/v1': IN_SPEC, 'apps/v1beta1': IN_SPEC, 'apps/v1beta2': IN_SPEC },
	specReplicas: (o) => Number((o['spec'] as { replicas?: number } | undefined)?.replicas ?? 0),
	setReplicas: (o, replicas) => {
		(o['spec'] as { replicas?: number }).replicas = replicas;
	},
	statusReplicas: (o) => Number((o['status'] as { replicas?: number } | undefined)?.replicas ?? 0),
	selector: (o) => (o['spec'] as { selector?: unknown } | undefined)?.selector,
};

const workload: Strategy = { status: ['status'], generation: true, scale: replicasScale };
const counted: Strategy = { status: ['status'], generation: true };
const countedPlain: Strategy = { generation: true };
const pinned: Strategy = { allowUnconditionalUpdate: false };
const countedPinned: Strategy = { generation: true, allowUnconditionalUpdate: false };
const withStatus: Strategy = { status: ['status'] };
const rbac: Strategy = { allowCreateOnUpdate: true };

const event: Strategy = {
	allowCreateOnUpdate: true,
	ownsNothing: true,
	ttlMs: EVENT_TTL_MS,
	ownFieldLabels: true,
	fields: {
		...fieldsAt(
			'involvedObject.kind',
			'involvedObject.namespace',
			'involvedObject.name',
			'involvedObject.uid',
			'involvedObject.apiVersion',
			'involvedObject.resourceVersion',
			'involvedObject.fieldPath',
			'reason',
			'type',
		),
		reportingComponent: textAt('reportingComponent'),
		source: (o) => textAt('source.component')(o) || textAt('reportingComponent')(o),
	},
};

/** Each version knows the labels of its own fields only. */
const newEvent: Strategy = {
	...event,
	fields: fieldsAt('reason', 'type'),
	fieldAliases: {
		'regarding.kind': 'involvedObject.kind',
		'regarding.namespace': 'involvedObject.namespace',
		'regarding.name': 'involvedObject.name',
		'regarding.uid': 'involvedObject.uid',
		'regarding.apiVersion': 'involvedObject.apiVersion',
		'regarding.resourceVersion': 'involvedObject.resourceVersion',
		'regarding.fieldPath': 'involvedObject.fieldPath',
		reportingController: 'reportingComponent',
	},
};

/** Secrets of a service account are named, nothing more. */
function secretsByName(object: Draft): void {
	const { secrets } = object as { secrets?: { name?: string }[] };
	if (secrets !== undefined) object['secrets'] = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

export const STRATEGIES: Readonly<Record<string, Strategy>> = {
	'/Pod': podStrategy,
	'/Service': serviceStrategy,
	'/Node': {
		status: ['status'],
		createsWithStatus: true,
		ownFieldLabels: true,
		fields: nodeFields,
		prepareForCreate: withoutConfig,
		prepareForStatusUpdate: nodeStatus,
	},
	'/Namespace': {
		status: ['status'],
		ownFieldLabels: true,
		fields: fieldsAt('status.phase'),
		answersDeleted: true,
		marksItself: true,
		prepareForCreate(object) {
			const spec = (object['spec'] ?? {}) as { finalizers?: string[] };
			const { finalizers = [] } = spec;
			// The name may be the server's.
			object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
			object['spec'] = { ...spec, finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] };
			object['status'] = { phase: 'Active' };
		},
		prepareForUpdate(object, old) {
			object['spec'] = {
				...(object['spec'] as object | undefined),
				finalizers: (old['spec'] as { finalizers?: string[] } | undefined)?.finalizers,
			};
		},
	},
	'/Secret': secretStrategy,
	'/Event': event,
	'events.k8s.io/Event': newEvent,
	'/Endpoints': { allowCreateOnUpdate: true },
	'/LimitRange': {
		allowCreateOnUpdate: true,
		/** One without a name is named by its uid. */
		prepareForCreate({ metadata }) {
			if ((metadata.name ?? '') === '') metadata.name = metadata.uid;
		},
	},
	'/ReplicationController': { ...workload, orphansByDefault: true, ownFieldLabels: true, fields: fieldsAt('status.replicas') },
	'/ResourceQuota': withStatus,
	'/PodTemplate': countedPlain,
	'/ServiceAccount': { answersDeleted: true, prepareForCreate: secretsByName, prepareForUpdate: secretsByName },
	'/PersistentVolume': {
		status: ['status'],
		answersDeleted: true,
		prepareForCreate(object, now) {
			object['status'] = { phase: 'Pending', lastPhaseTransitionTime: now };
		},
		prepareForStatusUpdate: phaseTimed,
	},
	'/PersistentVolumeClaim': claimStrategy,
	'apps/Deployment': {
		...workload,
		prepareForStatusUpdate: statusKeepsLabels,
		generationAlso: ({ metadata }) => metadata.annotations ?? {},
	},
	'apps/ReplicaSet': workload,
	'apps/StatefulSet': workload,
	'apps/DaemonSet': daemonSetStrategy,
	'batch/Job': cronJobAndJob.job,
	'batch/CronJob': cronJobAndJob.cronJob,
	'autoscaling/HorizontalPodAutoscaler': withStatus,
	'policy/PodDisruptionBudget': { ...counted, allowUnconditionalUpdate: false },
	'networking.k8s.io/Ingress': counted,
	'networking.k8s.io/IngressClass': countedPlain,
	'networking.k8s.io/NetworkPolicy': { ...countedPlain, countsEmpty: true },
	'networking.k8s.io/ServiceCIDR': { ...withStatus, prepareForStatusUpdate: statusKeepsMetadata },
	'discovery.k8s.io/EndpointSlice': endpointSliceStrategy,
	'coordination.k8s.io/Lease': { allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
	'certificates.k8s.io/CertificateSigningRequest': signingRequest,
	'storage.k8s.io/VolumeAttachment': { status: ['status'], allowUnconditionalUpdate: false, prepareForStatusUpdate: statusKeepsMetadata },
	'storage.k8s.io/CSINode': pinned,
	'storage.k8s.io/CSIDriver': { ...pinned, generation: 'updates' },
	'storage.k8s.io/CSIStorageCapacity': pinned,
	'node.k8s.io/RuntimeClass': { allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
	'scheduling.k8s.io/PriorityClass': { generation: 'created' },
	'rbac.authorization.k8s.io/Role': rbac,
	'rbac.authorization.k8s.io/RoleBinding': rbac,
	'rbac.authorization.k8s.io/ClusterRole': rbac,
	'rbac.authorization.k8s.io/ClusterRoleBinding': rbac,
	'flowcontrol.apiserver.k8s.io/FlowSchema': { ...counted, prepareForStatusUpdate: statusKeepsAllMetadata },
	'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': { ...counted, prepareForStatusUpdate: statusKeepsAllMetadata },
	'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinitionStrategy,
	'apiregistration.k8s.io/APIService': apiServiceStrategy,
	'resource.k8s.io/DeviceClass': countedPlain,
	'resource.k8s.io/ResourceClaim': {
		...withStatus,
		prepareForStatusUpdate(object, old) {
			statusKeepsMetadata(object, old);
			forgetReturned(object, old);
		},
	},
	'resource.k8s.io/ResourceSlice': {
		...countedPlain,
		decoded: timeTaints,
		countsDropped: true,
		fields: fieldsAt('spec.nodeName', 'spec.driver'),
		ownFieldLabels: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
	},
	[`${ADMISSION}/ValidatingAdmissionPolicy`]: { ...counted, allowUnconditionalUpdate: false, prepareForStatusUpdate: statusKeepsMetadata },
	[`${ADMISSION}/ValidatingAdmissionPolicyBinding`]: countedPinned,
	[`${ADMISSION}/MutatingAdmissionPolicy`]: countedPinned,
	[`${ADMISSION}/MutatingAdmissionPolicyBinding`]: countedPinned,
	[`${ADMISSION}/ValidatingWebhookConfiguration`]: { ...countedPinned, countsEmpty: true },
	[`${ADMISSION}/MutatingWebhookConfiguration`]: { ...countedPinned, countsEmpty: true },
};
