/** What a pod's spec says by way of its labels and annotations, made plain when it is created (upstream's podStrategy). Pure. */
import type { LabelSelector, Pod, PodSpec, SecurityContext } from '../../../api/gen/types.ts';
import { appArmorOf, appArmorWarning } from '../../../api/validation/warnings/containers.ts';
import { same, type Errors } from '../../../api/validation/rule.ts';
import { appArmorProfile } from '../../../api/validation/pod/security.ts';
import type { Draft } from './strategy.ts';

export function completePod(object: Draft, warn: (text: string) => void): void {
	const { metadata, spec } = object as Pod;
	if (spec === undefined) return;
	const labels = metadata.labels ?? {};
	for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
		const terms = spec.affinity?.[kind];
		for (const term of terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []) mergeKeys(term, labels);
		for (const { podAffinityTerm } of terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []) mergeKeys(podAffinityTerm, labels);
	}
	for (const constraint of spec.topologySpreadConstraints ?? []) mergeKeys(constraint, labels);
	positiveGrace(spec);
	appArmor(metadata.annotations ?? {}, spec, warn);
}

interface Keyed {
	labelSelector?: LabelSelector | undefined;
	matchLabelKeys?: string[] | undefined;
	mismatchLabelKeys?: string[] | undefined;
}

/** Match keys select pods with this pod's value of the label. */
function mergeKeys(term: Keyed, labels: Readonly<Record<string, string>>): void {
	if (term.labelSelector === undefined) return;
	const added = (keys: readonly string[] | undefined, operator: string): NonNullable<LabelSelector['matchExpressions']> =>
		(keys ?? []).flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
	const expressions = [...added(term.matchLabelKeys, 'In'), ...added(term.mismatchLabelKeys, 'NotIn')];
	if (expressions.length === 0) return;
	term.labelSelector = { ...term.labelSelector, matchExpressions: [...(term.labelSelector.matchExpressions ?? []), ...expressions] };
}

/** Less than nothing is a second. */
export function positiveGrace(spec: PodSpec): void {
	if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** The old annotation sets the field of its container, unless the pod says the same (upstream's applyAppArmorVersionSkew). */
function appArmor(annotations: Readonly<Record<string, string>>, spec: PodSpec, warn: (text: string) => void): void {
	if (spec.os?.name === 'windows') return;
	// Not validated yet: there may be none.
	const containers = (spec.containers as PodSpec['containers'] | null | undefined) ?? [];
	for (const container of [...(spec.initContainers ?? []), ...containers, ...(spec.ephemeralContainers ?? [])]) {
		const annotation = annotations[APP_ARMOR + container.name];
		if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
		const profile = appArmorOf(annotation);
		const faults: Errors = [];
		appArmorProfile(faults, '', profile);
		const isUsable = profile !== undefined && faults.length === 0;
		if (isUsable && same(profile, spec.securityContext?.appArmorProfile)) continue;
		if (isUsable) container.securityContext = { ...(container.securityContext as SecurityContext | undefined), appArmorProfile: profile };
		warn(appArmorWarning(container.name));
	}
}
