/** What a pod's spec says by way of its labels and annotations, made plain when it is created (upstream's podStrategy). Pure. */
import type { LabelSelector, Pod, PodSpec, SecurityContext } from '../../../api/gen/types.ts';
import type { Draft } from './strategy.ts';

export function completePod(object: Draft): void {
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
	appArmor(metadata.annotations ?? {}, spec);
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

/** The old annotation sets the field of its container. */
function appArmor(annotations: Readonly<Record<string, string>>, spec: PodSpec): void {
	for (const [key, value] of Object.entries(annotations)) {
		if (!key.startsWith(APP_ARMOR)) continue;
		const profile = profileOf(value);
		const name = key.slice(APP_ARMOR.length);
		for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
			if (container.name !== name || profile === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
			container.securityContext = { ...(container.securityContext as SecurityContext | undefined), appArmorProfile: profile };
		}
	}
}

function profileOf(text: string): { type: string; localhostProfile?: string } | undefined {
	if (text === 'runtime/default') return { type: 'RuntimeDefault' };
	if (text === 'unconfined') return { type: 'Unconfined' };
	return text.startsWith('localhost/') ? { type: 'Localhost', localhostProfile: text.slice('localhost/'.length) } : undefined;
}
