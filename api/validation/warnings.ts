/** Warnings on objects that are good but better otherwise: deprecated fields and values. Pure. */
import type {
	CSIDriver,
	CustomResourceDefinition,
	EndpointSlice,
	Ingress,
	Node,
	PersistentVolume,
	PersistentVolumeClaim,
	Pod,
	PodTemplateSpec,
	Secret,
	Service,
} from '../gen/types.ts';
import { goQuote } from '../go-quote.ts';
import type { KubeObject } from '../resource.ts';
import { CLASS_ANNOTATION } from '../storage/class.ts';
import { formatOf } from '../structural/formats.ts';
import { innerSchemas, type Schema } from '../structural/schema.ts';
import { dnsLabel } from './names.ts';
import { podTemplateWarnings, podWarnings } from './pod-warnings.ts';
import { same } from './rule.ts';

type Rule = (object: never, old?: never) => readonly string[];

const CLASS_TEXT = `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`;

export function warningsOnCreate(group: string, kind: string, object: KubeObject): readonly string[] {
	return RULES[`${group}/${kind}`]?.(object as never, undefined) ?? [];
}

/** Kinds with a generation warn only when it changed; pods are written too often to be looked at again. */
export function warningsOnUpdate(group: string, kind: string, object: KubeObject, old: KubeObject): readonly string[] {
	const key = `${group}/${kind}`;
	if (key === '/Pod' || key === 'networking.k8s.io/Ingress') return [];
	if (object.metadata.generation !== undefined && object.metadata.generation === old.metadata.generation) return [];
	return RULES[key]?.(object as never, old as never) ?? [];
}

interface Templated extends KubeObject {
	readonly spec?: { readonly template?: PodTemplateSpec | undefined } | undefined;
}

const templated = ({ spec }: Templated, old: Templated | undefined): readonly string[] =>
	templateWarnings('spec.template', spec?.template, old?.spec?.template);

function templateWarnings(path: string, template: PodTemplateSpec | undefined, old: PodTemplateSpec | undefined): readonly string[] {
	return template === undefined || (old !== undefined && same(template, old)) ? [] : podTemplateWarnings(path, template);
}

/** Names that pods are named after, when they are new. */
function named(rule: Rule): Rule {
	return (object, old) => {
		const complaints = old === undefined ? dnsLabel((object as KubeObject).metadata.name ?? '') : [];
		const text = `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(' ')}]`;
		return [...(complaints.length === 0 ? [] : [text]), ...rule(object, old)];
	};
}

const formatsOf = (schema: Schema): readonly string[] => [
	...((schema.format ?? '') !== '' && formatOf(schema) === '' ? [schema.format ?? ''] : []),
	...innerSchemas(schema).flatMap(formatsOf),
];

function unknownFormats({ spec }: CustomResourceDefinition): readonly string[] {
	return (spec.versions ?? []).flatMap(({ schema }) =>
		schema?.openAPIV3Schema === undefined ? [] : formatsOf(schema.openAPIV3Schema as Schema),
	);
}

const RULES: Readonly<Record<string, Rule>> = {
	'apiextensions.k8s.io/CustomResourceDefinition': (o: CustomResourceDefinition, old?: CustomResourceDefinition) => {
		const before = new Set(old === undefined ? [] : unknownFormats(old));
		return unknownFormats(o)
			.filter((format) => !before.has(format))
			.map((format) => `unrecognized format ${goQuote(format)}`);
	},
	'/Pod': (pod: Pod) => podWarnings(pod),
	'/PodTemplate': (o: KubeObject & { template?: PodTemplateSpec }, old) =>
		templateWarnings('template', o.template, (old as typeof o | undefined)?.template),
	'/Node': ({ spec }: Node) => [
		...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
		...((spec?.externalID ?? '') === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
	],
	'/ReplicationController': templated,
	'apps/ReplicaSet': templated,
	'apps/Deployment': named(templated),
	'apps/DaemonSet': templated,
	'apps/StatefulSet': (o: Templated & { spec?: { revisionHistoryLimit?: number } }, old) => [
		...templated(o, old),
		...((o.spec?.revisionHistoryLimit ?? 0) < 0
			? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
			: []),
	],
	'batch/Job': named(templated),
	'batch/CronJob': named((o: { spec?: { jobTemplate?: { spec?: { template?: PodTemplateSpec } } } }, old) =>
		templateWarnings(
			'spec.jobTemplate.spec.template',
			o.spec?.jobTemplate?.spec?.template,
			(old as typeof o | undefined)?.spec?.jobTemplate?.spec?.template,
		),
	),
	'/Service': serviceWarnings,
	'/Secret': secretWarnings,
	'/PersistentVolume': (o: PersistentVolume) => {
		const out: string[] = [];
		if (o.metadata.annotations?.[CLASS_ANNOTATION] !== undefined) out.push(CLASS_TEXT);
		if (o.spec?.persistentVolumeReclaimPolicy === 'Recycle')
			out.push(
				'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
			);
		return out;
	},
	'/PersistentVolumeClaim': (o: PersistentVolumeClaim) => (o.metadata.annotations?.[CLASS_ANNOTATION] === undefined ? [] : [CLASS_TEXT]),
	'networking.k8s.io/Ingress': (o: Ingress) =>
		o.metadata.annotations?.['kubernetes.io/ingress.class'] === undefined
			? []
			: [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
	'discovery.k8s.io/EndpointSlice': (o: EndpointSlice) =>
		o.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
	'storage.k8s.io/CSIDriver': (o: CSIDriver, old?: CSIDriver) =>
		(o.spec.tokenRequests ?? []).length > 0 &&
		o.spec.serviceAccountTokenInSecrets === undefined &&
		!same(o.spec.tokenRequests, old?.spec.tokenRequests)
			? [
					'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
				]
			: [],
};

function serviceWarnings({ spec }: Service): readonly string[] {
	const out: string[] = [];
	if ((spec?.externalIPs ?? []).length > 0) out.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
	if ((spec?.externalName ?? '') !== '' && spec?.type !== 'ExternalName')
		out.push('spec.externalName is ignored when spec.type is not "ExternalName"');
	if (spec?.trafficDistribution === 'PreferClose') out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
	return out;
}

function secretWarnings({ type, data }: Secret, old: Secret | undefined): readonly string[] {
	if (type !== 'kubernetes.io/tls' || (old !== undefined && same(data, old.data))) return [];
	const text = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('latin1');
	if (!/-----BEGIN [A-Z0-9 ]+-----/.test(text('tls.crt'))) return ['tls: failed to find any PEM data in certificate input'];
	if (!/-----BEGIN [A-Z0-9 ]+-----/.test(text('tls.key'))) return ['tls: failed to find any PEM data in key input'];
	return [];
}
