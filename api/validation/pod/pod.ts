/** Pods: on create, and what holds for every write of one. */
import { fieldForbidden } from '../../field-error.ts';
import type { Pod, Volume } from '../../gen/types.ts';
import { trimmedImages } from './container.ts';
import { NAMESPACED, objectMeta } from '../metadata.ts';
import { podAnnotations, profileAnnotations } from './annotations.ts';
import type { PodOptions } from './options.ts';
import { podOptions } from './options-before.ts';
import { podSpec } from './spec.ts';
import type { Errors } from '../rule.ts';

export const MIRROR = 'kubernetes.io/config.mirror';
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export function podBase(out: Errors, pod: Pod, before?: Pod): void {
	objectMeta(out, pod.metadata, NAMESPACED);
	const options = podOptions(before);
	annotationRules(out, pod, options);
	podSpec(out, 'spec', pod.spec ?? { containers: [] }, options, pod);
	if ((pod.spec?.serviceAccountName ?? '') === '') noProjectedTokens(out, pod.spec?.volumes ?? []);
	for (const key of ['containers', 'initContainers'] as const) trimmedImages(out, `spec.${key}`, pod.spec?.[key] ?? []);
}

function noProjectedTokens(out: Errors, volumes: readonly Volume[]): void {
	for (const [i, { projected }] of volumes.entries())
		for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries())
			if (serviceAccountToken !== undefined)
				out.push(
					fieldForbidden(
						`spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
						'must not be specified when serviceAccountName is not set',
					),
				);
}

export function podCreate(out: Errors, pod: Pod): void {
	podBase(out, pod);
	const { spec } = pod;
	if ((spec?.ephemeralContainers ?? []).length > 0) out.push(fieldForbidden('spec.ephemeralContainers', 'cannot be set on create'));
	if ((spec?.nodeName ?? '') !== '' && (spec?.schedulingGates ?? []).length > 0)
		out.push(fieldForbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
	profileAnnotations(out, 'spec', pod.metadata.annotations ?? {}, spec ?? { containers: [] });
}

/** What annotations say of a pod must be so. */
export function annotationRules(out: Errors, { metadata, spec }: Pod, options: PodOptions): void {
	podAnnotations(out, 'metadata.annotations', metadata.annotations ?? {}, spec ?? { containers: [] }, options);
}
