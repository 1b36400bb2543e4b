/** Who a StatefulSet's pods are: name, labels, host name and claims by ordinal. Pure; upstream's stateful_set_utils. */
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet, Volume } from '../../../api/gen/types.ts';
import { STATEFUL_SETS } from '../../../api/resources.ts';
import { podFromTemplate } from '../pod-template.ts';
import { REVISION_HASH } from '../revisions.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

export function startOf(set: StatefulSet): number {
	return set.spec?.ordinals?.start ?? 0;
}

export function replicasOf(set: StatefulSet): number {
	return set.spec?.replicas ?? 1;
}

/** -1 for a pod that is none of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
	const match = /^(.*)-(\d+)$/.exec(pod.metadata.name ?? '');
	return match === null || match[1] !== set.metadata.name ? -1 : Number(match[2]);
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
	return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

/** The name of the revision that made the pod. */
export function revisionOf(pod: Pod): string {
	return pod.metadata.labels?.[REVISION_HASH] ?? '';
}

export function claimsOf(set: StatefulSet, ordinal: number): readonly { readonly volume: string; readonly claim: PersistentVolumeClaim }[] {
	return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
		volume: template.metadata.name ?? '',
		claim: {
			...template,
			metadata: {
				...template.metadata,
				name: `${template.metadata.name}-${set.metadata.name}-${ordinal}`,
				namespace: set.metadata.namespace,
				labels: { ...template.metadata.labels, ...set.spec?.selector?.matchLabels },
			},
		},
	}));
}

/** Whether a pod of the set has a claim of this name. */
export function hasClaim(set: StatefulSet, claim: string): boolean {
	return (set.spec?.volumeClaimTemplates ?? []).some(({ metadata }) => {
		const start = `${metadata.name}-${set.metadata.name}-`;
		return claim.startsWith(start) && /^\d+$/.test(claim.slice(start.length));
	});
}

/** A pod of that ordinal as the template has it. */
export function statefulPod(set: StatefulSet, template: PodTemplateSpec | undefined, revision: string, ordinal: number): Pod {
	const { metadata: rest, ...pod } = podFromTemplate(template, STATEFUL_SETS, set);
	const name = `${set.metadata.name}-${ordinal}`;
	const spec = { ...pod.spec, containers: pod.spec?.containers ?? [], hostname: name, subdomain: set.spec?.serviceName };
	return withStorage(
		set,
		{ ...pod, metadata: { ...rest, name, labels: { ...rest.labels, ...ownLabels(name, ordinal), [REVISION_HASH]: revision } }, spec },
		ordinal,
	);
}

function ownLabels(name: string, ordinal: number): Record<string, string> {
	return { [POD_NAME]: name, [POD_INDEX]: String(ordinal) };
}

function withStorage(set: StatefulSet, pod: Pod, ordinal: number): Pod {
	const claims = claimsOf(set, ordinal);
	const own = claims.map(
		({ volume, claim }): Volume => ({
			name: volume,
			persistentVolumeClaim: { claimName: claim.metadata.name ?? '', readOnly: false },
		}),
	);
	const others = (pod.spec?.volumes ?? []).filter((v) => !claims.some(({ volume }) => volume === v.name));
	const volumes = [...own, ...others];
	return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], ...(volumes.length === 0 ? {} : { volumes }) } };
}

/** The pod as it should be; undefined where it is. Only what a pod may change is looked at for storage: the names of its claims. */
export function repaired(set: StatefulSet, pod: Pod): Pod | undefined {
	const ordinal = ordinalOf(set, pod);
	const labels = ownLabels(pod.metadata.name ?? '', ordinal);
	const hasLabels = Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value);
	const hasStorage = claimsOf(set, ordinal).every(({ volume, claim }) =>
		(pod.spec?.volumes ?? []).some((v) => v.name === volume && v.persistentVolumeClaim?.claimName === claim.metadata.name),
	);
	if (hasLabels && hasStorage) return undefined;
	const labelled = { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } };
	return hasStorage ? labelled : withStorage(set, labelled, ordinal);
}
