/** Pods: on create, on update (few fields may change) and of their status. */
import { fieldForbidden, invalidValue } from '../field-error.ts';
import type { Container, Pod, PodSpec, Volume } from '../gen/types.ts';
import { jsonDiff } from '../internal/diff.ts';
import { internalForm } from '../internal/form.ts';
import { trimmedImages } from './container.ts';
import { dnsSubdomain } from './names.ts';
import { objectMeta, objectMetaUpdate } from './metadata.ts';
import { podSpec } from './pod-spec.ts';
import { present, same, type Errors } from './rule.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const MIRROR = 'kubernetes.io/config.mirror';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export function podBase(out: Errors, pod: Pod): void {
	objectMeta(out, pod.metadata, META);
	annotationRules(out, pod);
	podSpec(out, 'spec', pod.spec ?? { containers: [] }, true);
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
}

function annotationRules(out: Errors, { metadata, spec }: Pod): void {
	const annotations = metadata.annotations ?? {};
	const mirror = annotations[MIRROR];
	if (mirror !== undefined && (spec?.nodeName ?? '') === '')
		out.push(invalidValue(`metadata.annotations[${MIRROR}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set'));
	const names = new Set([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name));
	for (const key of Object.keys(annotations)) {
		if (!key.startsWith(APP_ARMOR)) continue;
		const container = key.slice(APP_ARMOR.length);
		if (!names.has(container)) out.push(invalidValue(`metadata.annotations[${key}]`, container, 'container not found'));
	}
}

const podForm = (spec: PodSpec): unknown => internalForm('core/v1.PodSpec', spec);

const UPDATE_TEXT =
	'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export function podUpdate(out: Errors, pod: Pod, old: Pod): void {
	objectMetaUpdate(out, pod.metadata, old.metadata);
	podBase(out, pod);
	const spec = { ...pod.spec, containers: pod.spec?.containers ?? [] };
	const before = { ...old.spec, containers: old.spec?.containers ?? [] };
	if (!sameNumber(out, 'containers', spec.containers ?? [], before.containers ?? [])) return;
	if (!sameNumber(out, 'initContainers', spec.initContainers ?? [], before.initContainers ?? [])) return;
	for (const key of ['containers', 'initContainers'] as const)
		for (const [i, container] of (spec[key] ?? []).entries()) {
			const path = `spec.${key}[${i}].image`;
			if (present(out, path, container.image) && container.image?.trim() !== container.image)
				out.push(invalidValue(path, container.image, 'must not have leading or trailing whitespace'));
		}
	deadline(out, spec.activeDeadlineSeconds, before.activeDeadlineSeconds);
	const known = new Set((before.schedulingGates ?? []).map(({ name }) => name));
	for (const [i, { name }] of (spec.schedulingGates ?? []).entries())
		if (!known.has(name))
			out.push(fieldForbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`));
	if (out.length > 0) return;
	const munged = structuredClone(spec);
	restoreImages(munged.containers, before.containers);
	restoreImages(munged.initContainers ?? [], before.initContainers ?? []);
	munged.activeDeadlineSeconds = before.activeDeadlineSeconds;
	munged.schedulingGates = before.schedulingGates;
	if (tolerationsOnlyAdded(munged.tolerations ?? [], before.tolerations ?? [])) munged.tolerations = before.tolerations;
	if ((before.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1)
		munged.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
	if ((before.schedulingGates ?? []).length > 0) {
		munged.nodeSelector = before.nodeSelector;
		if (munged.affinity !== undefined) munged.affinity = before.affinity;
	}
	if (!same(munged, before)) out.push(fieldForbidden('spec', `${UPDATE_TEXT}\n${jsonDiff(podForm(before), podForm(munged))}`));
}

function sameNumber(out: Errors, key: string, list: readonly Container[], before: readonly Container[]): boolean {
	if (list.length === before.length) return true;
	out.push(fieldForbidden(`spec.${key}`, `pod updates may not add or remove containers`));
	return false;
}

function deadline(out: Errors, value: number | undefined, before: number | undefined): void {
	const path = 'spec.activeDeadlineSeconds';
	if (value === undefined) {
		if (before !== undefined) out.push(invalidValue(path, null, 'must not update from a positive integer to nil value'));
		return;
	}
	if (value < 0 || value > 2_147_483_647) out.push(invalidValue(path, value, 'must be between 0 and 2147483647, inclusive'));
	else if (before !== undefined && before < value) out.push(invalidValue(path, value, 'must be less than or equal to previous value'));
}

function restoreImages(list: readonly Container[], before: readonly Container[]): void {
	for (const [i, container] of list.entries()) {
		const image = before[i]?.image;
		if (image === undefined) delete container.image;
		else container.image = image;
	}
}

function tolerationsOnlyAdded(list: readonly object[], before: readonly object[]): boolean {
	return before.every((old) => list.some((toleration) => same({ ...toleration, tolerationSeconds: 0 }, { ...old, tolerationSeconds: 0 })));
}
