/** What a pod or template that is updated may keep because it was there before (pkg/api/pod GetValidationOptionsFromPodSpecAndMeta). */
import type { Affinity, Container, LabelSelector, ObjectMeta, PodSpec } from '../../gen/types.ts';
import { localPath } from '../paths.ts';
import type { Errors } from '../rule.ts';
import { hasWrongNodeValue, hasWrongValue, isWrongSelector } from '../selectors.ts';
import { isCost, DELETION_COST } from './annotations.ts';
import { containersOf } from './containers-of.ts';
import { PREFERRED, REQUIRED } from './scheduling.ts';
import type { PodOption, PodOptions } from './options.ts';
import { isIndivisible } from './resources.ts';
import { hostOwner } from './security.ts';

interface Before {
	readonly metadata?: ObjectMeta | undefined;
	readonly spec?: PodSpec | undefined;
}

/** @param before the pod or template as it was; @param selector of its owner, where its values are judged like those of affinity */
export function podOptions(before: Before | undefined, selector?: LabelSelector): PodOptions {
	const found = new Set<PodOption>();
	const { metadata, spec } = before ?? {};
	const cost = metadata?.annotations?.[DELETION_COST];
	if (cost !== undefined && !isCost(cost)) found.add('deletionCost');
	if (hasWrongValue(selector)) found.add('affinityValues');
	if (spec !== undefined) for (const [option, isUsed] of Object.entries(USED)) if (isUsed(spec)) found.add(option as PodOption);
	return found;
}

const USED: Readonly<Record<Exclude<PodOption, 'deletionCost'>, (spec: PodSpec) => boolean>> = {
	affinityValues: ({ affinity }) => selectorsOf(affinity).some(isWrongSelector),
	hostSysctls: (spec) => (spec.securityContext?.sysctls ?? []).some(({ name }) => hostOwner(name, spec) !== undefined),
	indivisibleHugePages: (spec) =>
		[spec.overhead, ...all(spec).flatMap(({ resources }) => [resources?.limits, resources?.requests])].some((amounts) =>
			Object.entries(amounts ?? {}).some(([name, value]) => isIndivisible(name, value)),
		),
	initContainerRestarts: ({ initContainers = [] }) =>
		initContainers.some(
			({ restartPolicy, resizePolicy = [] }) =>
				restartPolicy !== 'Always' && resizePolicy.some((policy) => policy.restartPolicy === 'RestartContainer'),
		),
	nodeValues: ({ affinity }) => hasWrongNodeValue(affinity?.nodeAffinity?.[REQUIRED]),
	outsideTokenPaths: ({ volumes = [] }) =>
		volumes.some(({ projected }) =>
			(projected?.sources ?? []).some(({ serviceAccountToken: token }) => token !== undefined && isOutside(token.path)),
		),
	spreadSelectors: ({ topologySpreadConstraints = [] }) =>
		topologySpreadConstraints.some((constraint) => isWrongSelector(constraint.labelSelector)),
	userNamespaceDevices: (spec) => spec.hostUsers === false && all(spec).some(({ volumeDevices = [] }) => volumeDevices.length > 0),
};

const all = (spec: PodSpec): readonly Container[] => [...containersOf('', spec)].map(([, container]) => container as Container);

function selectorsOf(affinity: Affinity | undefined): readonly (LabelSelector | undefined)[] {
	return (['podAffinity', 'podAntiAffinity'] as const)
		.flatMap((kind) => [
			...(affinity?.[kind]?.[REQUIRED] ?? []),
			...(affinity?.[kind]?.[PREFERRED] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
		])
		.flatMap((term) => [term.labelSelector, term.namespaceSelector]);
}

function isOutside(path = ''): boolean {
	const found: Errors = [];
	localPath(found, '', path);
	return found.length > 0;
}
