/** Warnings on pods and pod templates: what is deprecated, ignored or ambiguous (upstream's pkg/api/pod/warnings.go, in its order). Pure. */
import type { Pod, PodAffinity, PodSpec, PodTemplateSpec } from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { ipWarnings } from '../address-form.ts';
import { containerWarnings, type Annotated } from './containers.ts';
import { fractionWarnings } from './fractions.ts';
import { keyWarnings, labelWarning, termWarnings } from './node-labels.ts';
import { volumeWarnings } from './volumes.ts';

export function podWarnings({ metadata, spec }: Pod): readonly string[] {
	return specWarnings('spec', spec, { meta: 'metadata', annotations: metadata.annotations ?? {}, isTemplate: false });
}

/** @param path of the template */
export function podTemplateWarnings(path: string, { metadata, spec }: PodTemplateSpec): readonly string[] {
	return specWarnings(`${path}.spec`, spec, {
		...{ meta: `${path}.metadata`, annotations: metadata?.annotations ?? {}, isTemplate: true },
	});
}

const ANNOTATIONS = [
	['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
	['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
	['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const NULL_SELECTOR = 'a null labelSelector results in matching no pod';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function specWarnings(at: string, spec: PodSpec | undefined, annotated: Annotated): readonly string[] {
	if (spec === undefined) return [];
	const { meta, annotations } = annotated;
	const { affinity, hostAliases = [], imagePullSecrets = [], dnsConfig } = spec;
	return [
		...nodeWarnings(at, spec),
		...ANNOTATIONS.flatMap(([key, text]) => (annotations[key] === undefined ? [] : [`${meta}.annotations[${key}]: ${text}`])),
		...volumeWarnings(at, spec.volumes ?? []),
		...repeated(
			`${at}.hostAliases`,
			'ip',
			hostAliases.map(({ ip }) => ip),
		),
		...repeated(
			`${at}.imagePullSecrets`,
			'name',
			imagePullSecrets.map(({ name = '' }) => name),
		),
		...imagePullSecrets.flatMap(({ name = '' }, i) => (name === '' ? [`${at}.imagePullSecrets[${i}].name: invalid empty name ""`] : [])),
		...['memory', 'ephemeral-storage'].flatMap((name) => fractionWarnings(`${at}.overhead`, spec.overhead, name)),
		...(spec.securityContext?.seccompProfile === undefined && annotations[SECCOMP] !== undefined
			? [`${meta}.annotations[${SECCOMP}]: non-functional in v1.27+; use the "seccompProfile" field instead`]
			: []),
		...containerWarnings(at, spec, annotated),
		...((spec.terminationGracePeriodSeconds ?? 0) < 0
			? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
			: []),
		...affinityWarnings(`${at}.affinity.podAffinity`, affinity?.podAffinity),
		...affinityWarnings(`${at}.affinity.podAntiAffinity`, affinity?.podAntiAffinity),
		...(dnsConfig?.nameservers ?? []).flatMap((server, i) => ipWarnings(`${at}.dnsConfig.nameservers[${i}]`, server)),
		...hostAliases.flatMap(({ ip }, i) => ipWarnings(`${at}.hostAliases[${i}].ip`, ip)),
	];
}

/** How the pod chooses nodes. */
function nodeWarnings(at: string, { nodeSelector = {}, affinity, topologySpreadConstraints = [] }: PodSpec): readonly string[] {
	const path = `${at}.affinity.nodeAffinity`;
	const terms = affinity?.nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? [];
	const preferred = affinity?.nodeAffinity?.[PREFERRED] ?? [];
	return [
		...keyWarnings(Object.keys(nodeSelector), (key, text) => `${at}.nodeSelector[${key}]: ${text}`),
		...terms.flatMap((term, i) => termWarnings(`${path}.${REQUIRED}.nodeSelectorTerms[${i}]`, term, false)),
		...preferred.flatMap(({ preference }, i) => termWarnings(`${path}.${PREFERRED}[${i}].preference`, preference, true)),
		...topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, i) => {
			const text = labelWarning(topologyKey);
			const constraint = `${at}.topologySpreadConstraints[${i}]`;
			return [
				...(text === undefined ? [] : [`${constraint}.topologyKey: ${topologyKey} is ${text}`]),
				...(labelSelector === undefined ? [`${constraint}.labelSelector: ${NULL_SELECTOR}`] : []),
			];
		}),
	];
}

function affinityWarnings(path: string, affinity: PodAffinity | undefined): readonly string[] {
	const required = (affinity?.[REQUIRED] ?? []).map((term, i) => [`${path}.${REQUIRED}[${i}]`, term] as const);
	const preferred = (affinity?.[PREFERRED] ?? []).map(
		({ podAffinityTerm }, i) => [`${path}.${PREFERRED}[${i}].podAffinityTerm`, podAffinityTerm] as const,
	);
	return [...required, ...preferred].flatMap(([at, { labelSelector }]) =>
		labelSelector === undefined ? [`${at}.labelSelector: ${NULL_SELECTOR}`] : [],
	);
}

function repeated(path: string, field: string, values: readonly string[]): readonly string[] {
	return values.flatMap((value, i) => (values.indexOf(value) < i ? [`${path}[${i}].${field}: duplicate ${field} ${goQuote(value)}`] : []));
}
