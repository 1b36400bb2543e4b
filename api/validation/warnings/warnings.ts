/** Warnings on objects that are good but better otherwise: deprecated fields and values (the WarningsOn… of upstream's strategies). Pure. */
import type {
	CSIDriver,
	CSIStorageCapacity,
	CustomResourceDefinition,
	Endpoints,
	EndpointSlice,
	Ingress,
	Job,
	Node,
	PersistentVolume,
	PersistentVolumeClaim,
	Pod,
	PodTemplateSpec,
	ResourceQuota,
	ResourceSlice,
	RuntimeClass,
	Secret,
	Service,
	ServiceAccount,
	StorageClass,
} from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { nullFree } from '../../null-free.ts';
import { canonicalQuantity, compareQuantities } from '../../quantity.ts';
import type { KubeObject } from '../../resource.ts';
import { CLASS_ANNOTATION } from '../../storage/class.ts';
import { formatOf } from '../../structural/formats.ts';
import { innerSchemas, type Schema } from '../../structural/schema.ts';
import { cidrWarnings } from '../address-form.ts';
import { same } from '../rule.ts';
import { claimWarnings } from './fractions.ts';
import {
	balancerWarnings,
	endpointsWarnings,
	networkPolicyWarnings,
	podAddressWarnings,
	serviceWarnings,
	sliceWarnings,
} from './network.ts';
import { keyWarnings, labelWarning, selectorWarnings, termWarnings } from './node-labels.ts';
import { podTemplateWarnings, podWarnings } from './pod.ts';
import { pairFault } from './tls-pair.ts';
import { persistentWarnings } from './volumes.ts';
import {
	cronJobWarnings,
	isChanged,
	jobSpecWarnings,
	labelWarnings,
	nameWarnings,
	replicationControllerWarnings,
	statefulSetWarnings,
	templateWarnings,
	type Templated,
} from './workloads.ts';

/** @param old absent when the object is made */
type Rule = (object: never, old?: never) => readonly string[];

const ADMISSION = 'admissionregistration.k8s.io';
const STATIC = '.static.k8s.io';
const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';
const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const CLASS_TEXT = `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`;

export function warningsOnCreate(group: string, kind: string, object: KubeObject): readonly string[] {
	return RULES[`${group}/${kind}`]?.(nullFree(object) as never) ?? [];
}

/** @param subresource '' or 'scale': the object; 'status': its status */
export function warningsOnUpdate(group: string, kind: string, object: KubeObject, old: KubeObject, subresource = ''): readonly string[] {
	const key = `${group}/${kind}`;
	const rules = subresource === 'status' ? STATUS_RULES : subresource === '' || subresource === 'scale' ? RULES : {};
	return rules[key]?.(nullFree(object) as never, nullFree(old) as never) ?? [];
}

const staticName: Rule = ({ metadata: { name = '' } }: KubeObject) =>
	name.endsWith(STATIC)
		? [
				`metadata.name: names ending with "${STATIC}" are reserved for static manifest-based configurations and cannot be managed via the API`,
			]
		: [];

const named: Rule = (object: Templated, old?: Templated) => [...nameWarnings(object, old), ...templateWarnings(object, old)];

const RULES: Readonly<Record<string, Rule>> = {
	'apiextensions.k8s.io/CustomResourceDefinition': (o: CustomResourceDefinition, old?: CustomResourceDefinition) => {
		const before = new Set(old === undefined ? [] : unknownFormats(old));
		return unknownFormats(o)
			.filter((format) => !before.has(format))
			.map((format) => `unrecognized format ${goQuote(format)}`);
	},
	// Nobody writes pods by hand again and again.
	'/Pod': (o: Pod, old?: Pod) =>
		old === undefined ? [...labelWarnings(o.metadata.name ?? '', "the Pod's hostname"), ...podWarnings(o)] : [],
	'/PodTemplate': (o: KubeObject & { template?: PodTemplateSpec }, old?: KubeObject) =>
		o.template === undefined || (old !== undefined && !isChanged(o, old)) ? [] : podTemplateWarnings('template', o.template),
	'/Node': ({ spec }: Node) => [
		...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
		...((spec?.externalID ?? '') === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
		...(spec?.podCIDRs ?? []).flatMap((cidr, i) => cidrWarnings(`spec.podCIDRs[${i}]`, cidr)),
	],
	'/ReplicationController': (o: Templated, old?: Templated) => [...nameWarnings(o, old), ...replicationControllerWarnings(o, old)],
	'apps/ReplicaSet': named,
	'apps/Deployment': named,
	'apps/DaemonSet': templateWarnings,
	'apps/StatefulSet': statefulSetWarnings,
	'batch/Job': (o: Job, old?: Job) => [
		...nameWarnings(o, old),
		...(old === undefined || isChanged(o, old) ? jobSpecWarnings('spec', o.spec) : []),
	],
	'batch/CronJob': cronJobWarnings,
	'/Service': (o: Service) => serviceWarnings(o),
	'/Endpoints': (o: Endpoints) => endpointsWarnings(o),
	'/Secret': ({ type, data }: Secret) => {
		const bytes = (key: string): Buffer => Buffer.from(data?.[key] ?? '', 'base64');
		const fault = type === 'kubernetes.io/tls' ? pairFault(bytes('tls.crt'), bytes('tls.key')) : undefined;
		return fault === undefined ? [] : [fault];
	},
	'/ServiceAccount': ({ metadata }: ServiceAccount, old?: ServiceAccount) =>
		metadata.annotations?.[MOUNTABLE] === undefined || old?.metadata.annotations?.[MOUNTABLE] !== undefined
			? []
			: [`metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`],
	'/ResourceQuota': (o: ResourceQuota, old?: ResourceQuota) => (old === undefined ? quotaWarnings(o) : []),
	'/PersistentVolume': persistentVolumeWarnings,
	'/PersistentVolumeClaim': ({ metadata, spec }: PersistentVolumeClaim) => [
		...(metadata.annotations?.[CLASS_ANNOTATION] === undefined ? [] : [CLASS_TEXT]),
		...claimWarnings('spec', spec),
	],
	'networking.k8s.io/Ingress': ({ metadata, spec }: Ingress, old?: Ingress) =>
		old !== undefined || metadata.annotations?.['kubernetes.io/ingress.class'] === undefined || spec?.ingressClassName !== undefined
			? []
			: [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
	'networking.k8s.io/NetworkPolicy': networkPolicyWarnings,
	'discovery.k8s.io/EndpointSlice': (o: EndpointSlice, old?: EndpointSlice) => sliceWarnings(o, old === undefined),
	'storage.k8s.io/CSIDriver': (o: CSIDriver, old?: CSIDriver) =>
		(o.spec.tokenRequests ?? []).length > 0 &&
		o.spec.serviceAccountTokenInSecrets === undefined &&
		!same(o.spec.tokenRequests, old?.spec.tokenRequests)
			? [
					'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
				]
			: [],
	'storage.k8s.io/StorageClass': ({ allowedTopologies = [] }: StorageClass) =>
		allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
			matchLabelExpressions.flatMap(({ key }, j) => {
				const text = labelWarning(key);
				return text === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`];
			}),
		),
	'storage.k8s.io/CSIStorageCapacity': ({ nodeTopology }: CSIStorageCapacity) =>
		nodeTopology === undefined ? [] : selectorWarnings('nodeTopology', nodeTopology),
	'node.k8s.io/RuntimeClass': ({ scheduling }: RuntimeClass) =>
		keyWarnings(Object.keys(scheduling?.nodeSelector ?? {}), (_key, text) => `scheduling.nodeSelector: ${text}`),
	'resource.k8s.io/ResourceSlice': ({ spec: { driver } }: ResourceSlice) =>
		driver === driver.toLowerCase()
			? []
			: [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`],
	[`${ADMISSION}/ValidatingAdmissionPolicy`]: staticName,
	[`${ADMISSION}/ValidatingAdmissionPolicyBinding`]: staticName,
	[`${ADMISSION}/MutatingAdmissionPolicy`]: staticName,
	[`${ADMISSION}/MutatingAdmissionPolicyBinding`]: staticName,
	[`${ADMISSION}/ValidatingWebhookConfiguration`]: staticName,
	[`${ADMISSION}/MutatingWebhookConfiguration`]: staticName,
};

const STATUS_RULES: Readonly<Record<string, Rule>> = {
	'/Pod': podAddressWarnings,
	'/Service': (o: Service) => balancerWarnings(o),
	'networking.k8s.io/Ingress': (o: Ingress) => balancerWarnings(o),
	[`${ADMISSION}/ValidatingAdmissionPolicy`]: staticName,
};

const formatsOf = (schema: Schema): readonly string[] => [
	...((schema.format ?? '') !== '' && formatOf(schema) === '' ? [schema.format ?? ''] : []),
	...innerSchemas(schema).flatMap(formatsOf),
];

function unknownFormats({ spec }: CustomResourceDefinition): readonly string[] {
	return (spec.versions ?? []).flatMap(({ schema }) =>
		schema?.openAPIV3Schema === undefined ? [] : formatsOf(schema.openAPIV3Schema as Schema),
	);
}

function persistentVolumeWarnings({ metadata, spec }: PersistentVolume): readonly string[] {
	const out: string[] = [];
	if (metadata.annotations?.[CLASS_ANNOTATION] !== undefined) out.push(CLASS_TEXT);
	if (metadata.annotations?.[MOUNT_OPTIONS] !== undefined)
		out.push(`metadata.annotations[${MOUNT_OPTIONS}]: deprecated since v1.31; use "mountOptions" attribute instead`);
	if (spec === undefined) return out;
	if (spec.persistentVolumeReclaimPolicy === 'Recycle')
		out.push(
			'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
		);
	for (const [i, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries())
		out.push(...termWarnings(`spec.nodeAffinity.required.nodeSelectorTerms[${i}]`, term, false));
	return [...out, ...persistentWarnings(spec)];
}

/** Requests that are allowed more than the limits of the same resource. */
function quotaWarnings({ spec }: ResourceQuota): readonly string[] {
	const { hard = {} } = spec ?? {};
	return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
		const plain = name === 'cpu' || name === 'memory' ? [name] : [];
		const requests = [`requests.${name}`, ...plain].find((key) => hard[key] !== undefined) ?? '';
		const [request, limit] = [hard[requests], hard[`limits.${name}`]];
		if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) return [];
		const [asked, most] = [canonicalQuantity(request), canonicalQuantity(limit)];
		return [`ResourceQuota ${requests} (${asked}) should be less than limits.${name} (${most})`];
	});
}
